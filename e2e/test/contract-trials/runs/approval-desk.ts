import { type Approval, type Decision, type GateRequest, HTTPError, type Json } from '@waymark/contract';
import { type StoredRun, toRootId } from './stored-run.ts';

const day = 24 * 3_600_000;

/** The gated calls in front of humans. */
export class ApprovalDesk {
  readonly #approvals = new Map<string, Approval>();

  get all(): readonly Approval[] {
    return [...this.#approvals.values()];
  }

  pending(rootId: string): readonly Approval[] {
    return this.all.filter((one) => one.rootId === rootId && one.status === 'pending');
  }

  /** Asks once for each step. @returns undefined while nobody has decided */
  ask(
    run: StoredRun,
    seq: number,
    { tool, arguments: values, approver }: GateRequest,
    nowMs: number,
  ): Decision | undefined {
    const approvalId = `${run.runId}.${seq}:1`;
    const known = this.#approvals.get(approvalId);
    if (known?.status === 'approved') return { approved: true, note: known.note };
    if (known?.status === 'denied') return { approved: false, reason: 'declined', note: known.note };
    if (known) return undefined;
    this.#approvals.set(approvalId, {
      approvalId,
      runId: run.runId,
      rootId: toRootId(run.runId),
      seq,
      n: 1,
      kind: run.spec.kind,
      agent: run.spec.name,
      path: run.path,
      caller: run.principal.rootId,
      tool,
      // Validated arguments of a stored call came out of JSON.
      arguments: values as Json,
      argumentsHash: JSON.stringify(values),
      reason: null,
      status: 'pending',
      note: '',
      decidedBy: null,
      requestedMs: nowMs,
      decidedMs: null,
      expiresMs: nowMs + (approver.expiresMs ?? day),
    });
    return undefined;
  }

  /** @returns the root to wake. @throws {HTTPError} 404 unknown · 409 decided already · 410 expired */
  decide(
    approvalId: string,
    decision: Pick<Approval, 'note' | 'decidedBy'> & { readonly status: 'approved' | 'denied' },
    nowMs: number,
  ): string {
    const approval = this.#approvals.get(approvalId);
    if (!approval) throw new HTTPError(404, `no approval ${approvalId}`);
    if (approval.status !== 'pending') throw new HTTPError(409, `the approval is ${approval.status} already`);
    if (approval.expiresMs <= nowMs) throw new HTTPError(410, 'the approval is expired');
    this.#approvals.set(approvalId, { ...approval, ...decision, decidedMs: nowMs });
    return approval.rootId;
  }

  withdraw(approvalId: string): void {
    const approval = this.#approvals.get(approvalId);
    if (approval?.status === 'pending') this.#approvals.set(approvalId, { ...approval, status: 'withdrawn' });
  }
}
