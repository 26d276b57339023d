import type { Values } from '@waymark/contract';
import type { Approval } from '@waymark/contract/stores';
import { type Blobs, decodeValue } from './stored-value.ts';

/** What `toApproval` needs of a row. */
export const approvalColumns = `id, run_id, seq, count, root_id, status, kind, agent, path, caller, tool, args_hash,
  reason, note, decided_by, requested_ord, decided_ord, requested_ms, decided_ms, expires_ms, arguments`;

/** A row of `approvalColumns`. Arguments that stand in blobs that are not given are told by type and size. */
export function toApproval(row: Values, blobs: Blobs): Approval {
  // The columns are what `requestApproval` wrote.
  const one = row as unknown as ApprovalRow;
  return {
    approvalId: one.id,
    runId: one.run_id,
    rootId: one.root_id,
    seq: one.seq,
    n: one.count,
    kind: one.kind,
    agent: one.agent,
    path: JSON.parse(one.path),
    caller: one.caller,
    tool: one.tool,
    arguments: decodeValue(one.arguments, blobs),
    argumentsHash: one.args_hash,
    reason: one.reason,
    status: one.status,
    note: one.note,
    decidedBy: one.decided_by,
    requestedOrd: one.requested_ord,
    decidedOrd: one.decided_ord,
    requestedMs: one.requested_ms,
    decidedMs: one.decided_ms,
    expiresMs: one.expires_ms,
  };
}

interface ApprovalRow {
  readonly id: string;
  readonly run_id: string;
  readonly seq: number;
  readonly count: number;
  readonly root_id: string;
  readonly status: Approval['status'];
  readonly kind: Approval['kind'];
  readonly agent: string;
  readonly path: string;
  readonly caller: string;
  readonly tool: string;
  readonly args_hash: string;
  readonly reason: string | null;
  readonly note: string;
  readonly decided_by: string | null;
  readonly requested_ord: number;
  readonly decided_ord: number | null;
  readonly requested_ms: number;
  readonly decided_ms: number | null;
  readonly expires_ms: number;
  readonly arguments: string;
}
