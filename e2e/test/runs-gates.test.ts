import type { Values } from '@waymark/contract';
import type { Call } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ctx, runRoute, type Stage } from './runs/drivers.ts';
import { type EngineOptions, openState, startEngine } from './runs/engine.ts';
import { shapes } from './runs/shapes.ts';
import { simulate } from './runs/simulate.ts';

const kinds = ['agent', 'behaviour', 'flow'] as const;

async function start(options: EngineOptions = {}) {
  const { database, store } = await openState();
  const pays = async (ctx: Ctx) => ctx.must('refund');
  const engine = await startEngine(
    database,
    (stage: Stage) => kinds.map((kind) => runRoute(kind, kind, pays, stage)),
    options,
  );
  onTestFinished(async () => {
    await engine.stop();
    engine.life.kill();
    await database.close();
  });
  return { engine, store };
}

describe('a tool that asks a human', () => {
  it('asks for the door that the call came through: direct callers pass, whatever calls on its own asks', async () => {
    verifies('gate.by-door');
    const { engine, store } = await start();
    const by = async (via: Call['via'], tool = 'refund') => (await engine.call(tool, {}, { via })).status;
    expect(await by('http')).toBe(200);
    expect(await by('mcp')).toBe(403);
    expect(await store.approvals({ status: 'pending', limit: 9 })).toEqual([]);
    // The same caller, by the same door: but the run asks for it, and not the caller.
    expect(await by('http', 'agent')).toBe(202);
    expect(await by('mcp', 'agent')).toBe(202);
    expect(engine.world.count('refund undefined')).toBe(1);
  });

  it.each(kinds)('asks when an %s calls it', async (kind) => {
    verifies('gate.runs');
    const { engine, store } = await start();
    expect((await engine.call(kind)).status).toBe(202);
    expect(await store.approvals({ status: 'pending', limit: 9 })).toMatchObject([{ tool: 'refund', kind }]);
    expect(engine.world.effects.size).toBe(0);
  });

  it('is asked at one time, that of the store, whatever the clock of the process says', async () => {
    verifies('approval.listing.members');
    const { engine, store } = await start({ now: () => 1_000 });
    const { body } = await engine.call('agent');
    const answer = body.kind === 'json' ? (JSON.parse(body.text) as Values) : {};
    const [stored] = await store.approvals({ status: 'pending', limit: 9 });
    const { requestedMs, expiresMs } = stored ?? {};
    expect(answer['pending_approvals']).toMatchObject([
      { requested_at_ms: requestedMs, expires_at_ms: expiresMs },
    ]);
    expect(requestedMs).toBeGreaterThan(1_000_000);
  });

  it('is not reached by a watcher, which cannot wait, nor by a run that a watcher began, which can', async () => {
    verifies('gate.runs');
    const { engine, store } = await start();
    const watcher = {
      via: 'watcher',
      principal: { id: 'watcher:w', rootId: 'watcher:w', authenticated: true, scopes: ['use'] },
    } as const;
    expect(await engine.call('refund', {}, watcher)).toMatchObject({
      status: 403,
      body: { code: 'approval_required' },
    });
    expect((await engine.call('agent', {}, watcher)).status).toBe(202);
    expect(await store.approvals({ status: 'pending', limit: 9 })).toMatchObject([{ caller: 'watcher:w' }]);
    expect(engine.world.effects.size).toBe(0);
  });

  it.each(shapes)('is not executed after a no, whatever is around the call: $name', async (shape) => {
    verifies('gate.no-way-around');
    const { world } = await simulate({ shape, policy: 'deny', deaths: [] });
    const gated = [...world.effects.keys()].filter((effect) => /^(refund|sign) /.test(effect));
    expect(gated).toEqual([]);
  });
});
