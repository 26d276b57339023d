/**
 * Walks the store of runs through the life of a root: started, journaled, parked, decided, taken, finished, and the
 * turns in between where two want the same. What a transition needs has to fit into one method call.
 */
import type { Approval, Fence, OpRecord, RunError, RunRecord, RunStore } from '@waymark/contract';
import { fixedClock } from '@waymark/contract/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { TrialRunStore } from './runs/trial-run-store.ts';

/** An approval as it is handed in: the store numbers it. */
type OpenApproval = Omit<Approval, 'requestedOrd' | 'decidedOrd'>;

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
  spec: { kind: 'flow', name: 'intake', codeVersion: '1', scopes: [], tokenBudget: null, maxSteps: null },
  principal: { id: 'desk', rootId: 'desk', authenticated: true, scopes: [] },
  call: { route: 'intake', values: { input: 'x' }, via: 'http' },
  idempotencyKey: null,
  depth: 0,
  status: 'running',
  output: null,
  error: null,
  createdMs: clock.now(),
  endedMs: null,
  ...more,
});

const op = (runId: string, seq: number, state: OpRecord['state']): Omit<OpRecord, 'ord'> => ({
  runId,
  seq,
  kind: 'call',
  name: 'refund',
  input: { cents: 5 },
  fingerprint: 'f',
  state,
  value: null,
  treeTokens: 0,
  startedMs: clock.now(),
  endedMs: state === 'done' || state === 'failed' ? clock.now() : null,
});

const approval = (runId: string, seq: number): OpenApproval => ({
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

const timeout: RunError = { code: 'timeout', message: 'timed out after 600 s', status: 504 };

async function begin(runId: string, more: Partial<RunRecord> = {}): Promise<Fence> {
  const started = await store.start(run(runId, more), 'a', leaseMs);
  if (started.outcome !== 'started') throw new Error(started.outcome);
  return started.fence;
}

/** A root whose child waits for a human. */
async function parked(): Promise<Fence> {
  const fence = await begin('r1');
  await store.startChild(fence, run('r1.1', { parentId: 'r1', call: null, depth: 1 }));
  await store.commit(fence, { ops: [op('r1.1', 1, 'waiting')], approvals: [approval('r1.1', 1)] });
  expect(await store.park(fence)).toEqual({ outcome: 'parked' });
  return fence;
}

const status = async (rootId: string) =>
  (await store.load(rootId)).runs.find(({ runId }) => runId === rootId)?.status;

describe('the store of runs', () => {
  it('takes a root from its start through a human to its end', async () => {
    await parked();
    expect(await status('r1')).toBe('waiting');
    expect(await store.decide('r1.1.1:1', { status: 'approved', note: '', by: 'boss' })).toEqual({
      outcome: 'decided',
      rootId: 'r1',
    });
    expect(await status('r1')).toBe('ready');
    const [taken] = await store.take('b', 64, leaseMs);
    expect(taken).toEqual({ fence: { rootId: 'r1', epoch: 2, wakes: 1 }, attempts: 0 });
    const again = taken?.fence;
    expect(await store.commit(again!, { ops: [op('r1.1', 1, 'started')] })).toBeGreaterThan(0);
    const done = await store.commit(again!, { ops: [op('r1.1', 1, 'done')] });
    const childEnd = await store.finish(again!, {
      runId: 'r1.1',
      status: 'completed',
      output: 1,
      error: null,
    });
    expect(childEnd).toBeGreaterThan(done!);
    await store.commit(again!, { ops: [op('r1', 1, 'done')] });
    const end = { runId: 'r1', status: 'completed', output: 2, error: null } as const;
    expect(await store.finish(again!, end)).toBeDefined();
    expect(await status('r1')).toBe('completed');
  });

  it('does not park a root that was decided meanwhile', async () => {
    const fence = await begin('r1');
    await store.commit(fence, { ops: [op('r1', 1, 'waiting')], approvals: [approval('r1', 1)] });
    await store.decide('r1.1:1', { status: 'denied', note: 'no', by: 'boss' });
    const next = { rootId: 'r1', epoch: 2, wakes: 1 };
    expect(await store.park(fence)).toEqual({ outcome: 'woken', fence: next });
    expect(await status('r1')).toBe('running');
    // What still moves in the leg before writes nothing, though one process runs both.
    expect(await store.commit(fence, { ops: [op('r1', 1, 'done')] })).toBeUndefined();
    expect(await store.commit(next, { ops: [op('r1', 1, 'done')] })).toBeDefined();
  });

  it('writes nothing for whoever lost the root', async () => {
    const fence = await begin('r1');
    await clock.advance(leaseMs);
    const [taken] = await store.take('b', 1, leaseMs);
    expect(await store.commit(fence, { ops: [op('r1', 1, 'done')] })).toBeUndefined();
    expect(
      await store.finish(fence, { runId: 'r1', status: 'completed', output: null, error: null }),
    ).toBeUndefined();
    expect(await store.park(fence)).toEqual({ outcome: 'lost' });
    expect((await store.load('r1')).ops).toEqual([]);
    expect(await store.commit(taken!.fence, { ops: [op('r1', 1, 'done')] })).toBe(1);
  });

  it('takes the one root that is named, and counts the legs that came to nothing', async () => {
    await store.release(await begin('r1'));
    await store.release(await begin('r2'));
    const [first] = await store.take('a', 64, leaseMs, 'r2');
    expect(first).toMatchObject({ fence: { rootId: 'r2' }, attempts: 0 });
    await clock.advance(leaseMs);
    const [second] = await store.take('b', 64, leaseMs, 'r2');
    expect(second?.attempts).toBe(1);
    await store.commit(second!.fence, { ops: [op('r2', 1, 'done')] });
    await store.release(second!.fence);
    expect(await store.take('c', 64, leaseMs, 'r2')).toMatchObject([{ attempts: 0 }]);
    expect(await status('r1')).toBe('ready');
  });

  it('writes a turn at once: values ahead of it, every approval, each in its place', async () => {
    const fence = await begin('r1');
    await store.commit(fence, {
      ops: [
        { ...op('r1', 1, 'done'), kind: 'value', value: 'uuid' },
        op('r1', 2, 'waiting'),
        op('r1', 3, 'waiting'),
      ],
      approvals: [approval('r1', 2), approval('r1', 3)],
    });
    await store.decide('r1.3:1', { status: 'approved', note: '', by: 'boss' });
    const { ops, approvals } = await store.load('r1');
    expect(ops.map(({ ord }) => ord)).toEqual([1, null, null]);
    expect(approvals.map(({ requestedOrd, decidedOrd }) => [requestedOrd, decidedOrd])).toEqual([
      [2, null],
      [3, 4],
    ]);
    expect(await store.approval('r1.3:1')).toEqual(approvals[1]);
    expect(await store.approval('nobody')).toBeUndefined();
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
    expect(await store.decide('nobody', yes)).toEqual({ outcome: 'unknown' });
    await clock.advance(86_400_000 - 1);
    expect(await store.decide('r1.1.1:1', yes)).toEqual({ outcome: 'decided', rootId: 'r1' });
    expect(await store.decide('r1.1.1:1', yes)).toEqual({ outcome: 'already' });
  });

  it('wakes a root whose approval ran out, swept or not', async () => {
    await parked();
    await clock.advance(86_400_000);
    expect(await store.decide('r1.1.1:1', { status: 'approved', note: '', by: 'boss' })).toEqual({
      outcome: 'expired',
    });
    expect(await store.expire()).toEqual(['r1']);
    expect(await status('r1')).toBe('ready');
    expect(await store.approvals({ status: 'expired', limit: 10 })).toHaveLength(1);
  });

  it('withdraws what is open when a run ends without it', async () => {
    const fence = await begin('r1');
    await store.commit(fence, { ops: [op('r1', 1, 'waiting')], approvals: [approval('r1', 1)] });
    await store.finish(fence, { runId: 'r1', status: 'failed', output: null, error: timeout });
    expect(await store.approvals({ status: 'pending', limit: 10 })).toEqual([]);
    expect(await store.decide('r1.1:1', { status: 'approved', note: '', by: 'boss' })).toEqual({
      outcome: 'already',
    });
  });

  it('withdraws one of two, and nothing that was decided meanwhile', async () => {
    const fence = await begin('r1');
    const asked = [approval('r1', 1), approval('r1', 2)];
    await store.commit(fence, { ops: [op('r1', 1, 'waiting'), op('r1', 2, 'waiting')], approvals: asked });
    await store.decide('r1.1:1', { status: 'approved', note: '', by: 'boss' });
    const withdrawn = asked.map((one) => ({ ...one, status: 'withdrawn' as const }));
    await store.commit(fence, { ops: [op('r1', 2, 'failed')], approvals: withdrawn });
    expect((await store.load('r1')).approvals).toMatchObject([
      { status: 'approved', decidedBy: 'boss' },
      { status: 'withdrawn' },
    ]);
  });

  it('cancels a waiting root with its children, once', async () => {
    await parked();
    expect(await store.cancel('nobody')).toBe('unknown');
    expect(await store.cancel('r1')).toBe('cancelled');
    expect((await store.load('r1')).runs.map((one) => one.status)).toEqual(['cancelled', 'cancelled']);
    expect(await store.approvals({ status: 'withdrawn', limit: 10 })).toHaveLength(1);
    expect(await store.cancel('r1')).toBe('terminal');
  });

  it('starts nothing twice under one key', async () => {
    await begin('r1', { idempotencyKey: 'k' });
    expect(await store.start(run('r2', { idempotencyKey: 'k' }), 'a', leaseMs)).toMatchObject({
      outcome: 'repeated',
      run: { runId: 'r1' },
    });
  });

  it('lets one run at a time hold a session', async () => {
    const spec = { ...run('r1').spec, session: { key: 'clerk:desk:7', reset: false } };
    const fence = await begin('r1', { spec });
    expect(await store.start(run('r2', { spec }), 'a', leaseMs)).toMatchObject({
      outcome: 'busy',
      holder: { runId: 'r1' },
    });
    const session = { messages: ['hello', 'done'] };
    await store.finish(fence, { runId: 'r1', status: 'completed', output: null, error: null, session });
    expect(await store.start(run('r2', { spec }), 'a', leaseMs)).toMatchObject({ outcome: 'started' });
  });

  it('begins a session anew in place of a run that waits, and of none that works', async () => {
    const session = { key: 'clerk:desk:7', reset: true };
    const spec = { ...run('r1').spec, session };
    const fence = await begin('r1', { spec });
    expect(await store.start(run('r2', { spec }), 'a', leaseMs)).toMatchObject({ outcome: 'busy' });
    await store.commit(fence, { ops: [op('r1', 1, 'waiting')], approvals: [approval('r1', 1)] });
    await store.park(fence);
    expect(await store.start(run('r2', { spec }), 'a', leaseMs)).toMatchObject({ outcome: 'started' });
    expect(await status('r1')).toBe('cancelled');
    expect(await store.approvals({ status: 'withdrawn', limit: 10 })).toHaveLength(1);
  });

  it('forgets old roots whole', async () => {
    const fence = await begin('r1');
    await store.commit(fence, { ops: [op('r1', 1, 'done')] });
    await store.finish(fence, { runId: 'r1', status: 'completed', output: null, error: null });
    expect(await store.prune(1_000, 10)).toBe(0);
    await clock.advance(1_001);
    expect(await store.prune(1_000, 10)).toBe(1);
    expect(await store.load('r1')).toEqual({ runs: [], ops: [], approvals: [], spend: [] });
  });
});
