import { type BehaviourContext, behaviour } from '@waymark/agents';
import type { Json } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { flow } from '@waymark/flows';
import { afterEach, describe, expect, it } from 'vitest';
import { declared } from './nested/declare.ts';
import { tower } from './nested/shapes.ts';
import { boss, type Engine, type EngineOptions, json, openState, startEngine } from './runs/engine.ts';

const engines: Engine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) {
    // What is dead gives nothing back.
    if (!engine.life.dead) await engine.stop();
    engine.life.kill();
  }
});

type Declared = Parameters<typeof declared>[1];
type State = Awaited<ReturnType<typeof openState>>;

async function start({ database }: State, given: Declared, options: EngineOptions = {}): Promise<Engine> {
  const engine = await startEngine(database, (stage) => declared(stage, given), options);
  engines.push(engine);
  return engine;
}

const tooDeep = 'runs are nested 8 deep at most';
const scopes = ['use'];

/** A problem as it is sent. */
interface Problem {
  readonly status: number;
  readonly body: { readonly detail: string; readonly code?: string; readonly run?: Json };
}

/** Eight flows in each other, of which the last one waits for a human; the one below would be too deep. */
const floors = (first: readonly string[]) =>
  Array.from({ length: 9 }, (_, at) =>
    flow(`deep_${at}`, {
      pipeline: [...(at === 7 ? first : []), `deep_${at + 1}`].map((tool) => ({
        tool: at === 8 ? 'look' : tool,
        input: {},
      })),
      scopes,
    }),
  );

const normal = flow('normal', { pipeline: ['look', { tool: 'once', input: {} }], scopes });
const parks = flow('parks', { pipeline: [{ tool: 'refund', input: {} }], scopes });

describe('runs in runs', () => {
  it('are eight at most, whatever kinds they are: the one below is 508, and nothing of it happens', async () => {
    verifies('http.status.508', 'http.status.508.plain-tools');
    const state = await openState();
    const engine = await start(state, tower(8));
    const { status } = await engine.call('floor_0', { input: 'Go on.' });
    expect(status).toBe(200);
    const [root] = await state.store.list({ limit: 1 });
    const { runs, ops } = await state.store.load(root?.runId ?? '');
    expect(runs.map(({ depth, spec }) => [depth, spec.name])).toEqual(
      Array.from({ length: 8 }, (_, depth) => [depth, `floor_${depth}`]),
    );
    // The deepest run was told why, and is what it called that failed.
    expect(ops.find(({ name }) => name === 'floor_8')?.value).toEqual({
      ...{ ok: false, status: 508, message: tooDeep },
    });
    expect(engine.world.effects.has('refund')).toBe(false);
    expect(await state.store.approvals({ limit: 1 })).toEqual([]);
  });

  it('say at the door which tool it was and how far they came', async () => {
    const state = await openState();
    const chain = Array.from({ length: 9 }, (_, at) =>
      behaviour(`code_${at}`, { tools: [at === 8 ? 'look' : `code_${at + 1}`], scopes }, (ctx) =>
        ctx.call(ctx.tools[0] ?? ''),
      ),
    );
    const engine = await start(state, [...chain, ...floors([])]);
    const code = (await engine.call('code_0')) as unknown as Problem;
    expect(code.status).toBe(508);
    expect(code.body.detail).toContain(`tool code_8 failed with 508: ${tooDeep}`);
    expect(code.body.run).toMatchObject({
      ...{ behaviour: 'code_0', path: ['code_0'], status: 'failed' },
      steps: [{ kind: 'tool_call', tool: 'code_1', error: expect.stringContaining(tooDeep) as string }],
    });
    const flows = (await engine.call('deep_0')) as unknown as Problem;
    expect(flows.status).toBe(502);
    expect(flows.body.detail).toContain(`tool deep_8 failed with 508: ${tooDeep}`);
    expect(flows.body.run).toMatchObject({
      flow: 'deep_0',
      status: 'failed',
      steps: [{ tool: 'deep_1', ok: false }],
    });
  });

  it('that are too deep are no failure for code that catches it', async () => {
    const state = await openState();
    const digs = behaviour('digs', { tools: ['digs', 'once'], scopes }, async (ctx: BehaviourContext) => {
      const below = await ctx.run('digs').catch(({ status }: { status: number }) => status);
      return [ctx.depth, below, await ctx.call('once')];
    });
    const engine = await start(state, [digs]);
    const text = JSON.stringify(json(await engine.call('digs')));
    expect(text.startsWith('[0,[1,[2,[3,[4,[5,[6,[7,508,')).toBe(true);
    expect([...engine.world.effects].filter(([what]) => what.startsWith('once')).length).toBe(8);
  });
});

describe('many runs that are too deep', () => {
  it('at once, beside others that wait, keep nobody else from running', async () => {
    verifies('http.status.508');
    const state = await openState();
    const engine = await start(state, [...floors([]), normal, parks], { maxResumed: 4 });
    const parked = await Promise.all(Array.from({ length: 70 }, () => engine.call('parks')));
    expect(new Set(parked.map(({ status }) => status))).toEqual(new Set([202]));
    const refused = Promise.all(Array.from({ length: 100 }, () => engine.call('deep_0')));
    expect((await engine.call('normal')).status).toBe(200);
    expect(new Set((await refused).map(({ status }) => status))).toEqual(new Set([502]));
    expect((await engine.call('normal')).status).toBe(200);
    // And the ones that waited go on.
    const [first] = await state.store.approvals({ status: 'pending', limit: 1 });
    const yes = { approve: true, note: '', by: boss };
    expect((await engine.runner.decide(first?.approvalId ?? '', yes)).status).toBe(200);
  });

  it('when they go on give their places back', async () => {
    const state = await openState();
    const given = [...floors(['refund']), normal, parks];
    const first = await start(state, given);
    await Promise.all(Array.from({ length: 80 }, () => first.call('deep_0')));
    const pending = await state.store.approvals({ status: 'pending', limit: 100 });
    expect(pending).toHaveLength(80);
    // Half of them by their humans, at once; the others while there is no process: the next one finds them.
    const yes = { approve: true, note: '', by: boss };
    const decided = pending.slice(0, 40).map(({ approvalId }) => first.runner.decide(approvalId, yes));
    const answers = (await Promise.all(decided)) as unknown as readonly Problem[];
    for (const { status, body } of answers) {
      expect(status).toBe(502);
      expect(body.detail).toContain(tooDeep);
    }
    expect((await first.call('normal')).status).toBe(200);
    first.life.kill();
    const said = { status: 'approved', note: '', by: 'boss' } as const;
    for (const { approvalId } of pending.slice(40)) await state.store.decide(approvalId, said);
    // What comes each second comes soon: with four places, forty roots take ten rounds.
    const after = (ms: number, task: () => unknown) => {
      const timer = ms <= 1_000 ? setTimeout(task, 1) : undefined;
      return () => clearTimeout(timer);
    };
    const second = await start(state, given, { after, maxResumed: 4, world: first.world });
    expect((await second.call('normal')).status).toBe(200);
    await expect
      .poll(async () => (await state.store.list({ statuses: ['failed'], limit: 100 })).length, {
        interval: 5,
        timeout: 20_000,
      })
      .toBe(80);
    expect((await second.call('normal')).status).toBe(200);
    expect(await state.store.approvals({ status: 'pending', limit: 1 })).toEqual([]);
    expect([...first.world.effects].filter(([what]) => what.startsWith('refund'))).toHaveLength(80);
  });
});
