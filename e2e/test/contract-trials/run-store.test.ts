/**
 * Walks the store of runs through the life of a root: started, journaled, parked, decided, taken, finished, and the
 * turns in between where two want the same. What a transition needs has to fit into one method call.
 */
import type { Approval, Fence, OpRecord, RunRecord, RunStore } from '@waymark/contract';
import { fixedClock } from '@waymark/contract/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { TrialRunStore } from './runs/trial-run-store.ts';

const leaseMs = 30_000;
const clock = fixedClock();
let store: RunStore;

beforeEach(() => {
  store = new TrialRunStore(clock.now);
});

const run = (runId: string, more: Partial<RunRecord> = {}): RunRecord => ({
  runId,
  rootId: runId.split('.', 1)[0] ?? runId,
  parentId: null,
  spec: { kind: 'flow', name: 'intake', codeVersion: '1', scopes: [], tokenBudget: null },
  principal: { id: 'desk', rootId: 'desk', authenticated: true, scopes: [] },
  call: { route: 'intake', values: { input: 'x' }, via: 'http' },
  idempotencyKey: null,
  depth: 0,
  status: 'running',
  output: null,
  createdMs: clock.now(),
  endedMs: null,
  ...more,
});

const op = (runId: string, seq: number, state: OpRecord['state']): OpRecord => ({
  runId,
  seq,
  kind: 'call',
  fingerprint: 'f',
  state,
  value: null,
  ord: null,
  treeTokens: 0,
  atMs: clock.now(),
});

const approval = (runId: string, seq: number): Approval => ({
  approvalId: `${runId}.${seq}:1`,
  runId,
  rootId: runId.split('.', 1)[0] ?? runId,
  seq,
  n: 1,
  kind: 'agent',
  agent: 'clerk',
  path: ['intake', 'clerk'],
  caller: 'desk',
  tool: 'refund',
  arguments: { cents: 5 },
  argumentsHash: 'h',
  reason: null,
  status: 'pending',
  note: '',
  decidedBy: null,
  requestedMs: clock.now(),
  decidedMs: null,
  expiresMs: clock.now() + 86_400_000,
});

async function begin(runId: string, more: Partial<RunRecord> = {}): Promise<Fence> {
  const started = await store.start(run(runId, more), 'a', leaseMs);
  if (started.outcome !== 'started') throw new Error(started.outcome);
  return started.fence;
}

/** A root whose child waits for a human. */
async function parked(): Promise<Fence> {
  const fence = await begin('r1');
  await store.startChild(fence, run('r1.1', { parentId: 'r1', call: null, depth: 1 }));
  await store.commit(fence, { op: op('r1.1', 1, 'waiting'), approvals: [approval('r1.1', 1)] });
  expect(await store.park(fence)).toBe('parked');
  return fence;
}

const status = async (rootId: string) =>
  (await store.load(rootId)).runs.find(({ runId }) => runId === rootId)?.status;

describe('the store of runs', () => {
  it('takes a root from its start through a human to its end', async () => {
    await parked();
    expect(await status('r1')).toBe('waiting');
    expect(await store.decide('r1.1.1:1', { status: 'approved', note: '', by: 'boss' })).toBe('decided');
    expect(await status('r1')).toBe('ready');
    const [again] = await store.take('b', 64, leaseMs);
    expect(again).toEqual({ rootId: 'r1', epoch: 2, wakes: 1 });
    expect(await store.commit(again!, { op: op('r1.1', 1, 'started') })).toBeGreaterThan(0);
    const done = await store.commit(again!, { op: op('r1.1', 1, 'done') });
    const childEnd = await store.finish(again!, { runId: 'r1.1', status: 'completed', output: 1 });
    expect(childEnd).toBeGreaterThan(done!);
    await store.commit(again!, { op: op('r1', 1, 'done') });
    expect(await store.finish(again!, { runId: 'r1', status: 'completed', output: 2 })).toBeDefined();
    expect(await status('r1')).toBe('completed');
  });

  it('does not park a root that was decided meanwhile', async () => {
    const fence = await begin('r1');
    await store.commit(fence, { op: op('r1', 1, 'waiting'), approvals: [approval('r1', 1)] });
    await store.decide('r1.1:1', { status: 'denied', note: 'no', by: 'boss' });
    expect(await store.park(fence)).toBe('woken');
    expect(await status('r1')).toBe('running');
    // The fence of the next leg can only be had by giving the root back and taking it.
    await store.release(fence);
    expect(await store.take('a', 1, leaseMs)).toEqual([{ rootId: 'r1', epoch: 2, wakes: 1 }]);
  });

  it('writes nothing for whoever lost the root', async () => {
    const fence = await begin('r1');
    await clock.advance(leaseMs);
    const [taken] = await store.take('b', 1, leaseMs);
    expect(await store.commit(fence, { op: op('r1', 1, 'done') })).toBeUndefined();
    expect(await store.finish(fence, { runId: 'r1', status: 'completed', output: null })).toBeUndefined();
    expect(await store.park(fence)).toBe('lost');
    expect((await store.load('r1')).ops).toEqual([]);
    expect(await store.commit(taken!, { op: op('r1', 1, 'done') })).toBe(1);
  });

  it('keeps a root with a holder that renews', async () => {
    await begin('r1');
    await clock.advance(leaseMs - 1);
    expect(await store.renew('a', leaseMs)).toEqual(['r1']);
    await clock.advance(1);
    expect(await store.take('b', 1, leaseMs)).toEqual([]);
  });

  it('gives a root back at shutdown', async () => {
    await store.release(await begin('r1'));
    expect(await store.renew('a', leaseMs)).toEqual([]);
    expect(await store.take('b', 1, leaseMs)).toHaveLength(1);
  });

  it('decides once, in time, and only what it knows', async () => {
    await parked();
    const yes = { status: 'approved', note: '', by: 'boss' } as const;
    expect(await store.decide('nobody', yes)).toBe('unknown');
    await clock.advance(86_400_000 - 1);
    expect(await store.decide('r1.1.1:1', yes)).toBe('decided');
    expect(await store.decide('r1.1.1:1', yes)).toBe('already');
  });

  it('wakes a root whose approval ran out, swept or not', async () => {
    await parked();
    await clock.advance(86_400_000);
    expect(await store.decide('r1.1.1:1', { status: 'approved', note: '', by: 'boss' })).toBe('expired');
    expect(await store.expire()).toBe(1);
    expect(await status('r1')).toBe('ready');
    expect(await store.approvals({ status: 'expired', limit: 10 })).toHaveLength(1);
  });

  it('withdraws what is open when a run ends without it', async () => {
    const fence = await begin('r1');
    await store.commit(fence, { op: op('r1', 1, 'waiting'), approvals: [approval('r1', 1)] });
    await store.finish(fence, { runId: 'r1', status: 'failed', output: null });
    expect(await store.approvals({ status: 'pending', limit: 10 })).toEqual([]);
    expect(await store.decide('r1.1:1', { status: 'approved', note: '', by: 'boss' })).toBe('already');
  });

  it('cancels a waiting root with its children, once', async () => {
    await parked();
    expect(await store.cancel('r1')).toBe(true);
    expect((await store.load('r1')).runs.map((one) => one.status)).toEqual(['cancelled', 'cancelled']);
    expect(await store.approvals({ status: 'withdrawn', limit: 10 })).toHaveLength(1);
    expect(await store.cancel('r1')).toBe(false);
  });

  it('starts nothing twice under one key', async () => {
    await begin('r1', { idempotencyKey: 'k' });
    expect(await store.start(run('r2', { idempotencyKey: 'k' }), 'a', leaseMs)).toMatchObject({
      outcome: 'repeated',
      run: { runId: 'r1' },
    });
  });

  it('lets one run at a time hold a session', async () => {
    const spec = { ...run('r1').spec, exclusive: 'session:clerk:desk:7' };
    const fence = await begin('r1', { spec });
    expect(await store.start(run('r2', { spec }), 'a', leaseMs)).toMatchObject({
      outcome: 'busy',
      holder: { runId: 'r1' },
    });
    const session = { key: spec.exclusive, messages: ['hello', 'done'] };
    await store.finish(fence, { runId: 'r1', status: 'completed', output: null, session });
    expect(await store.start(run('r2', { spec }), 'a', leaseMs)).toMatchObject({ outcome: 'started' });
  });

  it('forgets old roots whole', async () => {
    const fence = await begin('r1');
    await store.commit(fence, { op: op('r1', 1, 'done') });
    await store.finish(fence, { runId: 'r1', status: 'completed', output: null });
    expect(await store.prune(1_000, 10)).toBe(0);
    await clock.advance(1_001);
    expect(await store.prune(1_000, 10)).toBe(1);
    expect(await store.load('r1')).toEqual({ runs: [], ops: [], approvals: [] });
  });
});
