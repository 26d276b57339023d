import type { Approval, OpRecord, RunRecord } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { RunTree } from '../../src/journal/run-tree.ts';
import { toReport } from '../../src/told/report.ts';
import { toSteps } from '../../src/told/to-steps.ts';

const run: RunRecord = {
  runId: 'r',
  rootId: 'r',
  parentId: null,
  spec: { kind: 'agent', name: 'clerk', codeVersion: '1', scopes: [], tokenBudget: 100, maxSteps: null },
  principal: { id: 'desk', rootId: 'desk', authenticated: true, scopes: [] },
  call: null,
  idempotencyKey: null,
  inputHash: null,
  depth: 0,
  status: 'running',
  output: null,
  error: null,
  createdMs: 0,
  endedMs: null,
};

let ords = 0;

function op(seq: number, kind: OpRecord['kind'], more: Partial<OpRecord> = {}): OpRecord {
  const base = { runId: 'r', seq, kind, name: 'x', input: null, fingerprint: 'f', value: null } as const;
  return { ...base, state: 'done', ord: ++ords, treeTokens: 7 * seq, startedMs: 10, endedMs: 15, ...more };
}

const spend = { model: 'fast', provider: 'p', cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false };

const approval: Approval = {
  ...{
    approvalId: 'a',
    runId: 'r',
    rootId: 'r',
    seq: 3,
    n: 1,
    kind: 'agent',
    agent: 'clerk',
    path: ['clerk'],
  },
  ...{ caller: 'desk', tool: 'refund', arguments: { cents: 5 }, argumentsHash: 'h', reason: 'broken' },
  ...{ status: 'approved', note: 'fine', decidedBy: 'boss', requestedOrd: 50, decidedOrd: 51 },
  ...{ requestedMs: 20, decidedMs: 30, expiresMs: 99 },
};

function tree(ops: readonly OpRecord[], approvals: readonly Approval[] = []): RunTree {
  const made = new RunTree(run);
  for (const one of ops) made.putOp(one);
  for (const one of approvals) made.putApproval(one);
  return made;
}

describe('toSteps', () => {
  it('shows each kind in the words of the decision', () => {
    const image = { $image: { media_type: 'image/png', data: 'aGVsbG8=' } };
    const journal = tree(
      [
        op(0, 'history'),
        op(1, 'model'),
        op(2, 'call', { name: 'look', input: { n: 1 }, value: { ok: true, status: 200, value: { image } } }),
        op(3, 'call', { name: 'refund', value: { ok: false, status: 403, message: 'no', code: 'declined' } }),
        op(4, 'call', { name: 'row', value: { ok: false, status: 502, message: 'broke' } }),
        op(5, 'handoff', { name: 'boss', value: { reason: 'money' } }),
        op(6, 'compaction'),
        op(7, 'context', { name: 'rules' }),
        op(8, 'value'),
        op(9, 'call', { state: 'waiting', ord: null, endedMs: null }),
        op(10, 'context', { state: 'failed', value: { name: 'Error', message: 'gone' } }),
      ],
      [approval],
    );
    journal.addSpend({ ...spend, runId: 'r', seq: 1, inputTokens: 3, outputTokens: 4, costMicros: 1 });
    const steps = toSteps(journal);
    expect(steps.map(({ kind }) => kind)).toEqual([
      'model',
      'tool_call',
      'tool_refused',
      'tool_call',
      'handoff',
      'compaction',
      'context',
      'context',
      'approval_requested',
      'approval_decided',
    ]);
    expect(steps[0]).toMatchObject({ model: 'p/fast', input_tokens: 3, output_tokens: 4, duration_ms: 5 });
    expect(steps[1]).toMatchObject({
      tool: 'look',
      arguments: { n: 1 },
      result: { image: { $image: { media_type: 'image/png', bytes: 5 } } },
    });
    expect(steps[2]).toMatchObject({ tool: 'refund', error: 'no' });
    expect(steps[4]).toMatchObject({ to: 'boss', reason: 'money' });
    expect(steps[7]).toMatchObject({ error: 'gone' });
    expect(steps[8]).toMatchObject({ seq: 50, approval_id: 'a', reason: 'broken', arguments: { cents: 5 } });
    expect(steps[9]).toMatchObject({ seq: 51, status: 'approved', note: 'fine', duration_ms: 10 });
    for (const step of steps) expect(step.run_id).toBe('r');
    // After a handoff the steps are another agent's; what was asked before is not.
    const [clerk, boss] = ['clerk', 'boss'];
    expect(steps.map(({ agent }) => agent)).toEqual([
      ...[clerk, clerk, clerk, clerk, clerk],
      ...[boss, boss, boss],
      ...[clerk, clerk],
    ]);
  });

  it('keeps no base64 of a picture', () => {
    const image = { $image: { media_type: 'image/png', data: 'aGVsbG8=' } };
    const value = { ok: true, status: 200, value: [{ deep: image }] } as const;
    const shown = JSON.stringify(toSteps(tree([op(0, 'call', { input: { image }, value })], [])));
    expect(shown).not.toContain('aGVsbG8');
  });

  it('is sorted by the numbers of the tree', () => {
    verifies('run.steps.seq');
    const steps = toSteps(tree([op(0, 'model', { ord: 9 }), op(1, 'model', { ord: 4 })]));
    expect(steps.map(({ seq }) => seq)).toEqual([4, 9]);
  });
});

describe('toReport', () => {
  it('counts what the run did and cost', () => {
    const journal = tree([
      op(0, 'model', { value: { imagesDropped: 2 }, treeTokens: 40 }),
      op(1, 'call', { value: { ok: true, status: 200, value: 1 } }),
      op(2, 'handoff', { name: 'boss' }),
      op(3, 'compaction'),
    ]);
    journal.addSpend({ ...spend, runId: 'r', seq: 0, inputTokens: 30, outputTokens: 10, costMicros: 12 });
    const { usage, path } = toReport(journal, 'r');
    expect(path).toEqual(['clerk', 'boss']);
    expect(usage).toMatchObject({
      ...{ steps: 1, toolCalls: 1, handoffs: 1, compactions: 1, imagesDropped: 2 },
      ...{
        inputTokens: 30,
        outputTokens: 10,
        treeTokens: 40,
        costMicros: 12,
        tokenBudget: 100,
        treeBudget: 100,
      },
    });
  });

  it('does not know a price that nobody declared', () => {
    verifies('ledger.unpriced');
    const journal = tree([op(0, 'model'), op(1, 'model')]);
    journal.addSpend({ ...spend, runId: 'r', seq: 0, inputTokens: 1, outputTokens: 1, costMicros: null });
    journal.addSpend({ ...spend, runId: 'r', seq: 1, inputTokens: 1, outputTokens: 1, costMicros: 5 });
    expect(toReport(journal, 'r').usage.costMicros).toBeNull();
  });
});
