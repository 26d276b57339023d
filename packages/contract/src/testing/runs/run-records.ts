import type { Spend } from '../../models/spend.ts';
import type { Approval, OpCommit, OpRecord, RunRecord } from '../../stores/run-store.ts';

/** A root of an agent, called over HTTP by `desk`; of a child give `rootId` and `parentId`, too. */
export function runRecord(runId: string, fields: Partial<RunRecord> = {}): RunRecord {
  const isRoot = (fields.parentId ?? null) === null;
  return {
    runId,
    rootId: runId,
    parentId: null,
    spec: {
      kind: 'agent',
      name: 'guard',
      codeVersion: 'v1',
      scopes: ['door:read'],
      tokenBudget: 1_000,
      maxSteps: 8,
    },
    principal: { id: 'desk', rootId: 'desk', authenticated: true, scopes: ['door:read', 'door:open'] },
    call: isRoot ? { route: 'guard', values: { input: 'who is there?' }, via: 'http' } : null,
    idempotencyKey: null,
    inputHash: null,
    depth: isRoot ? 0 : 1,
    status: 'running',
    output: null,
    error: null,
    createdMs: 1_000,
    endedMs: null,
    ...fields,
  };
}

/** One finished call of a tool. */
export function opRecord(
  runId: string,
  seq: number,
  fields: Partial<Omit<OpRecord, 'ord'>> = {},
): OpCommit['ops'][number] {
  return {
    runId,
    seq,
    kind: 'call',
    name: 'open_door',
    input: { door: 'front' },
    fingerprint: `f${seq}`,
    state: 'done',
    value: { ok: true, status: 200, value: seq },
    treeTokens: 0,
    startedMs: 2_000,
    endedMs: 2_001,
    ...fields,
  };
}

/** A call in front of a human, for an hour. */
export function approvalRecord(
  approvalId: string,
  { runId, ...fields }: Partial<Approval> & Pick<Approval, 'runId'>,
): NonNullable<OpCommit['approvals']>[number] {
  const [rootId = ''] = runId.split('.', 1);
  return {
    approvalId,
    runId,
    rootId,
    seq: 1,
    n: 1,
    kind: 'agent',
    agent: 'guard',
    path: ['guard'],
    caller: 'desk',
    tool: 'open_door',
    arguments: { door: 'front' },
    argumentsHash: 'h1',
    reason: null,
    status: 'pending',
    note: '',
    decidedBy: null,
    requestedMs: 0,
    decidedMs: null,
    expiresMs: 3_600_000,
    ...fields,
  };
}

/** What one call of a model cost. */
export const spendRecord: Spend = {
  model: 'small',
  provider: 'scripted',
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 3,
  cacheWriteTokens: 4,
  costMicros: 50,
  estimated: false,
};
