import {
  type Approval,
  type Approver,
  adminScope,
  type Decision,
  type GateRequest,
  HTTPError,
  type Principal,
} from '@waymark/contract';
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
    reason: string | null,
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
      arguments: values,
      argumentsHash: JSON.stringify(values),
      reason,
      status: 'pending',
      note: '',
      decidedBy: null,
      requestedOrd: 0,
      decidedOrd: null,
      requestedMs: nowMs,
      decidedMs: null,
      expiresMs: nowMs + (approver.expiresMs ?? day),
    });
    return undefined;
  }

  /** @throws {HTTPError} 404 unknown */
  find(approvalId: string): Approval {
    const approval = this.#approvals.get(approvalId);
    if (!approval) throw new HTTPError(404, `no approval ${approvalId}`);
    return approval;
  }

  /**
   * @param by asked for the scopes of today's declaration
   * @returns the root to wake. @throws {HTTPError} 403 not an approver · 404 unknown · 409 decided already · 410 expired
   */
  decide(
    approvalId: string,
    { approve, note, by }: { readonly approve: boolean; readonly note: string; readonly by: Principal },
    { scope = adminScope, fourEyes = false }: Approver,
    nowMs: number,
  ): string {
    const approval = this.find(approvalId);
    const needed = [adminScope, scope];
    if (!needed.every((one) => by.scopes.includes(one)) || (fourEyes && by.rootId === approval.caller))
      throw new HTTPError(403, 'you may not decide this');
    if (approval.status !== 'pending') throw new HTTPError(409, `the approval is ${approval.status} already`);
    if (approval.expiresMs <= nowMs) throw new HTTPError(410, 'the approval is expired');
    const status = approve ? 'approved' : 'denied';
    this.#approvals.set(approvalId, { ...approval, status, note, decidedBy: by.id, decidedMs: nowMs });
    return approval.rootId;
  }

  /** Nobody needs to decide for a run that has ended. */
  withdrawOf(runId: string): void {
    for (const one of this.all) if (one.runId === runId) this.withdraw(one.approvalId);
  }

  withdraw(approvalId: string): void {
    const approval = this.#approvals.get(approvalId);
    if (approval?.status === 'pending') this.#approvals.set(approvalId, { ...approval, status: 'withdrawn' });
  }
}
