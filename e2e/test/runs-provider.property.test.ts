/** A provider of models that is out of reach for a while, and what becomes of the runs that need it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byTier, fixedClock, verifies } from '@waymark/contract/testing';
import { openDatabase, sqlRunStore } from '@waymark/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endLeases } from './kills/survive.ts';
import { boss, desk } from './runs/engine.ts';
import {
  bodyOf,
  type Desk,
  type DeskOptions,
  Provider,
  pass,
  quiet,
  startDesk,
  yes,
} from './runs/provider-desk.ts';
import { Life } from './runs/world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A desk on a file, which other processes can take over. */
async function openDesk(options: DeskOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'provider-'));
  const database = await openDatabase(`file:${join(folder, 'desk.db')}`, { synchronous: 'normal' });
  const clock = fixedClock();
  const provider = new Provider();
  const all: Desk[] = [];
  let closed = false;
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    for (const one of all) one.kill();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  onTestFinished(close);
  const start = async (life = new Life()): Promise<Desk> => {
    await endLeases(database);
    const started = await startDesk(database, clock, provider, { ...options, life });
    all.push(started);
    await quiet(database);
    return started;
  };
  const store = sqlRunStore(database);
  const statusOf = async (runId: string) =>
    (await store.list({ limit: 100 })).find((run) => run.runId === runId);
  return {
    database,
    clock,
    provider,
    start,
    store,
    statusOf,
    pass: (ms: number) => pass(database, clock, ms),
    close,
  };
}

/** What whoever started a run reads at its route. */
async function answerOf({ runner }: Desk, route: string, runId: string) {
  const response = await runner.read(runId, route, desk);
  return { status: response.status, body: bodyOf(response) };
}

const gone = { reason: 'unavailable' } as const;

/** Each is started while its provider is gone, and ends with its effects done once. */
const shapes = [
  { name: 'an agent', route: 'front', input: { input: 'note it' }, effects: ['note'] },
  { name: 'an agent in a flow', route: 'chain', input: { input: 'x' }, effects: ['note', 'note'] },
  { name: 'a behaviour that asks twice at once', route: 'pair', input: {}, effects: ['note'] },
] as const;

describe('a provider that is gone for 10 minutes', () => {
  it.each(shapes)('ends no run: $name', { timeout: 120_000 }, async ({ route, input, effects }) => {
    verifies('run.provider-waits');
    const { provider, start, statusOf, pass: wait } = await openDesk();
    provider.fault = gone;
    let process = await start();
    const started = await process.call(route, input);
    expect(started.status).toBe(202);
    const waiting = bodyOf(started) as never as {
      run_id: string;
      status: string;
      waits: { attempts: number }[];
    };
    expect(waiting).toMatchObject({
      status: 'waiting_provider',
      waits: expect.arrayContaining([
        expect.objectContaining({ provider: 'cloud', reason: 'unavailable', attempts: 1 }),
      ]) as unknown,
    });
    for (let minute = 0; minute < 10; minute++) {
      await wait(minuteMs);
      if (minute % 3 === 1) {
        process.kill();
        process = await start();
      }
      expect(await statusOf(waiting.run_id)).toMatchObject({ waitsFor: 'waiting_provider' });
    }
    const asked = provider.asked;
    // Doubled from a second to a minute: about fifteen tries of each step in ten minutes, and no flood.
    expect(asked).toBeLessThan(2 * 20);
    provider.fault = undefined;
    await wait(minuteMs + 1_000);
    expect(await statusOf(waiting.run_id)).toMatchObject({ status: 'completed' });
    expect(provider.effects).toEqual(effects);
  });

  it('ends no agent that went on after a decision, and its effect happens once', {
    timeout: 120_000,
  }, async () => {
    verifies('run.provider-waits');
    const { provider, start, statusOf, pass: wait } = await openDesk();
    let process = await start();
    const asked = bodyOf(await process.call('front', { input: 'refund it' })) as never as {
      run_id: string;
      pending_approvals: [{ approval_id: string }];
    };
    provider.fault = gone;
    const decided = await process.runner.decide(asked.pending_approvals[0].approval_id, yes);
    expect([decided.status, bodyOf(decided)['status']]).toEqual([202, 'waiting_provider']);
    expect(provider.effects).toEqual(['refund']);
    await wait(5 * minuteMs);
    process.kill();
    process = await start();
    await wait(5 * minuteMs);
    expect(await statusOf(asked.run_id)).toMatchObject({ status: 'waiting', waitsFor: 'waiting_provider' });
    provider.fault = undefined;
    await wait(minuteMs + 1_000);
    expect(await statusOf(asked.run_id)).toMatchObject({ status: 'completed' });
    expect(provider.effects).toEqual(['refund']);
  });
});

describe('a process that dies while a provider is gone', () => {
  const spend = {
    ...{ model: 'm', provider: 'cloud', inputTokens: 7, outputTokens: 3, cacheReadTokens: 0 },
    ...{ cacheWriteTokens: 0, costMicros: 4, estimated: true },
  };

  /** Asks, and waits once; then the provider is back. @returns the points that the first process passed */
  async function live(diesAt?: number): Promise<number> {
    const { database, provider, start, store, pass: wait, close } = await openDesk();
    provider.fault = { ...gone, spend: [spend] };
    const life = new Life(diesAt);
    const first = await start(life);
    if (!life.dead) await Promise.race([first.call('both'), life.died]);
    await wait(1_000);
    const points = life.points;
    const second = life.dead ? await start() : first;
    provider.fault = undefined;
    await wait(2 * minuteMs);
    const [root] = await store.list({ limit: 1 });
    // It died before there was one.
    if (!root) {
      await close();
      return points;
    }
    for (const { approvalId } of await store.approvals({ status: 'pending', limit: 9 }))
      await second.runner.decide(approvalId, yes);
    expect(await store.list({ limit: 1 }), `dies at ${diesAt}`).toMatchObject([{ status: 'completed' }]);
    expect(provider.effects).toEqual(['refund']);
    expect(await store.countWaits()).toBe(0);
    const [ledger] = await database.many('select count(*) as n from svc__spend');
    expect((await store.load(root.runId)).spend).toHaveLength(Number(ledger?.['n']));
    await close();
    return points;
  }

  it('leaves its runs to the next, wherever it dies: nothing is charged twice, and nobody waits for ever', {
    timeout: 240_000,
  }, async () => {
    verifies('run.provider-waits', 'run.provider-waits.spend');
    const points = await live();
    expect(points).toBeGreaterThan(15);
    for (let at = 1; at <= points; at += byTier({ quick: 6, slow: 5, drill: 2 })) await live(at);
  });
});

describe('how long a provider is waited for', () => {
  const limitMs = 90_000;

  it('is said by giveUpAfter: under it the run goes on, at it the last try fails as the run', async () => {
    verifies('run.provider-waits.give-up');
    const { provider, start, statusOf, pass: wait } = await openDesk({ giveUpAfterMs: limitMs });
    provider.fault = gone;
    const process = await start();
    const { run_id: runId, waits } = bodyOf(await process.call('talker', { input: 'Hi.' })) as never as {
      run_id: string;
      waits: [{ since_at_ms: number; give_up_at_ms: number }];
    };
    expect(waits[0].give_up_at_ms - waits[0].since_at_ms).toBe(limitMs);
    await wait(limitMs - 2_000);
    expect(await statusOf(runId)).toMatchObject({ status: 'waiting' });
    await wait(5_000);
    const { status, body } = await answerOf(process, 'talker', runId);
    expect([status, body['code']]).toEqual([502, 'unavailable']);
    expect(body['run']).toMatchObject({ status: 'failed', steps: [{ kind: 'model' }] });
  });

  it('is nothing when giveUpAfter is 0', async () => {
    verifies('run.provider-waits.give-up');
    const { provider, start, store } = await openDesk({ giveUpAfterMs: 0 });
    provider.fault = gone;
    const process = await start();
    const answered = await process.call('talker', { input: 'Hi.' });
    expect([answered.status, bodyOf(answered)['code']]).toEqual([502, 'unavailable']);
    expect(await store.countWaits()).toBe(0);
  });

  it.each([
    ['rate_limited', 202],
    ['timeout', 202],
    ['quota', 202],
    ['key_refused', 502],
    ['missing_key', 502],
    ['rejected', 502],
    ['unknown_model', 502],
    ['malformed_reply', 502],
    ['no_valid_answer', 502],
  ] as const)('is nothing for what does not pass by itself: %s is %i', async (reason, status) => {
    verifies('run.provider-waits.reasons');
    const { provider, start } = await openDesk();
    provider.fault = { reason };
    expect((await (await start()).call('talker', { input: 'Hi.' })).status).toBe(status);
  });

  it('is as long as the provider asks, ten minutes at most', async () => {
    verifies('run.provider-waits.pauses');
    const { provider, start, store, pass: wait } = await openDesk();
    provider.fault = { reason: 'rate_limited', retryAfterMs: 30_000 };
    const process = await start();
    await process.call('talker', { input: 'Hi.' });
    await wait(28_000);
    expect(provider.asked).toBe(1);
    provider.fault = { reason: 'rate_limited', retryAfterMs: 24 * hourMs };
    await wait(4_000);
    expect(provider.asked).toBe(2);
    const [left] = await store.waits({ limit: 1 });
    expect((left?.dueMs ?? 0) - Date.now()).toBeLessThanOrEqual(10 * minuteMs);
  });

  it('ends with the deadline of the run while another branch works', async () => {
    const { provider, start, clock, database } = await openDesk({ agentTimeoutMs: 20_000 });
    provider.fault = gone;
    const process = await start();
    const answer = process.call('branches');
    await quiet(database);
    await clock.advance(25_000);
    const { status, ...rest } = await answer;
    expect([status, bodyOf({ status, ...rest } as never)['code']]).toEqual([504, 'timeout']);
  });
});

describe('a step that waits for its provider', () => {
  it('is tried again in its leg while another branch works', async () => {
    verifies('run.provider-waits.branches');
    const { provider, start, clock, database, statusOf, store } = await openDesk();
    provider.fault = gone;
    const process = await start();
    const answer = process.call('branches');
    await quiet(database);
    await clock.advance(1_000);
    await quiet(database);
    expect(provider.asked).toBe(2);
    const [root] = await store.list({ limit: 1 });
    expect(root?.status).toBe('running');
    provider.fault = undefined;
    await clock.advance(2_000);
    await quiet(database);
    process.endSlow();
    expect((await answer).status).toBe(200);
    expect(await statusOf(root?.runId ?? '')).toMatchObject({ status: 'completed' });
    expect(provider.effects).toEqual(['slow']);
  });

  it('goes on waiting past a decision that comes meanwhile, and its pauses stay as they were', async () => {
    verifies('run.provider-waits');
    const { provider, start, statusOf, store, pass: wait } = await openDesk();
    provider.fault = gone;
    const process = await start();
    const started = bodyOf(await process.call('both')) as never as {
      run_id: string;
      status: string;
      pending_approvals: [{ approval_id: string }];
      waits: unknown[];
    };
    // A human can do something about it: that is said first.
    expect(started).toMatchObject({ status: 'awaiting_approval', waits: [{ provider: 'cloud' }] });
    await wait(10_000);
    const asked = provider.asked;
    const [before] = (await store.load(started.run_id)).waits;
    const decided = await process.runner.decide(started.pending_approvals[0].approval_id, yes);
    expect([decided.status, bodyOf(decided)['status']]).toEqual([202, 'waiting_provider']);
    expect(provider.effects).toEqual(['refund']);
    const [after] = (await store.load(started.run_id)).waits;
    expect([provider.asked, after?.attempts]).toEqual([asked, before?.attempts]);
    provider.fault = undefined;
    await wait(minuteMs);
    expect(await statusOf(started.run_id)).toMatchObject({ status: 'completed' });
    expect(provider.effects).toEqual(['refund']);
  });

  it('is forgotten with its run when that is cancelled', async () => {
    verifies('run.provider-waits');
    const { provider, start, statusOf, store, pass: wait } = await openDesk();
    provider.fault = gone;
    const process = await start();
    const { run_id: runId } = bodyOf(await process.call('talker', { input: 'Hi.' })) as never as {
      run_id: string;
    };
    await process.runner.cancel(runId, boss);
    expect(await store.countWaits()).toBe(0);
    await wait(2 * minuteMs);
    expect(await statusOf(runId)).toMatchObject({ status: 'cancelled' });
    expect(provider.asked).toBe(1);
  });

  it('is recorded with what all its tries cost, once', async () => {
    verifies('run.provider-waits.spend');
    const { provider, start, database, store, pass: wait } = await openDesk();
    const spend = {
      ...{ model: 'm', provider: 'cloud', inputTokens: 7, outputTokens: 3, cacheReadTokens: 0 },
      ...{ cacheWriteTokens: 0, costMicros: 4, estimated: true },
    };
    provider.fault = { ...gone, spend: [spend] };
    const process = await start();
    const { run_id: runId } = bodyOf(await process.call('talker', { input: 'Hi.' })) as never as {
      run_id: string;
    };
    await wait(1_000);
    const tries = provider.asked;
    expect(tries).toBe(2);
    provider.fault = undefined;
    await wait(3_000);
    const { body } = await answerOf(process, 'talker', runId);
    expect(body['usage']).toMatchObject({ input_tokens: 24, output_tokens: 11, tree_tokens: 35, steps: 1 });
    expect(body['steps']).toMatchObject([{ kind: 'model', input_tokens: 24 }]);
    const rows = await database.many('select input_tokens from svc__spend order by n');
    expect(rows.map((row) => row['input_tokens'])).toEqual([7, 7, 10]);
    expect((await store.load(runId)).spend).toHaveLength(3);
  });

  it('is told to whoever follows the run, who stays through the wait', async () => {
    verifies('run.provider-waits');
    const { provider, start, pass: wait } = await openDesk();
    provider.fault = gone;
    const process = await start();
    const { run_id: runId } = bodyOf(await process.call('front', { input: 'note it' })) as never as {
      run_id: string;
    };
    const events: string[] = [];
    const reading = (async () => {
      for await (const { event, data } of process.runner.follow(
        runId,
        'front',
        0,
        desk,
        new AbortController().signal,
      ))
        events.push(event === 'step' ? (data as { kind: string }).kind : event);
    })();
    await wait(20_000);
    // Again for each try.
    expect(new Set(events)).toEqual(new Set(['run', 'waiting']));
    provider.fault = undefined;
    await wait(minuteMs);
    await reading;
    expect(events.filter((event) => event !== 'waiting')).toEqual([
      ...['run', 'model', 'tool_call', 'model', 'result'],
    ]);
  });

  it('is listed, counted and audited, and read by whoever may decide', async () => {
    verifies('run.provider-waits.listing', 'audit.kind.run-waiting');
    const { provider, start } = await openDesk();
    provider.fault = gone;
    const process = await start();
    const { run_id: runId } = bodyOf(await process.call('chain', { input: 'x' })) as never as {
      run_id: string;
    };
    const { waits } = bodyOf(await process.call('get_svc_waits', { limit: 100 })) as never as {
      waits: unknown[];
    };
    expect(waits).toMatchObject([
      {
        ...{ wait_id: `${runId}.1.0`, run_id: `${runId}.1`, root_run_id: runId, kind: 'provider' },
        ...{ agent: 'front', provider: 'cloud', reason: 'unavailable', attempts: 1 },
      },
    ]);
    expect(await process.runner.plugin.gauges?.()).toMatchObject({ provider_waits: 1, pending_approvals: 0 });
    expect(process.events.filter(({ kind }) => kind === 'run_waiting')).toMatchObject([
      { run_id: `${runId}.1`, agent: 'front', provider: 'cloud', reason: 'unavailable' },
    ]);
    const runs = bodyOf(await process.call('get_svc_runs', { limit: 100 })) as never as { runs: unknown[] };
    expect(runs.runs).toMatchObject([{ run_id: runId, status: 'waiting_provider' }]);
    const detail = bodyOf(await process.call('get_svc_runs_by_id', { id: runId }));
    expect(detail).toMatchObject({ status: 'waiting_provider', runs: [{ status: 'waiting_provider' }] });
  });
});
