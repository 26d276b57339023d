import { HTTPError } from '@waymark/contract';
import { problemResponse, type RouteResponse } from '@waymark/contract/engine';
import { holds, type Principal } from '@waymark/contract/principal';
import type { Approval, MovedApproval } from '@waymark/contract/stores';
import type { RunnerParts } from './runner-parts.ts';

/** How long whoever decided waits for what comes of it, when another process works on it. */
const waitMs = 600_000;

/** An answer to a question, and who gave it. */
export interface HumanDecision {
  readonly approve: boolean;
  readonly note: string;
  readonly by: Principal;
}

/**
 * Decides, and goes on with the root or waits for whoever does.
 *
 * @returns the answer of the root's route
 * @throws {HTTPError} 403 not an approver · 404 unknown · 409 decided already · 410 expired · 503 asked by a newer release about what
 * this one lacks
 */
export async function decide(
  { store, table, emit, roots, stored, pool, monotonic, holder, leaseMs }: RunnerParts,
  approvalId: string,
  { approve, note, by }: HumanDecision,
): Promise<RouteResponse> {
  const approval = await store.approval(approvalId);
  if (!approval) throw new HTTPError(404, `no approval ${approvalId}`);
  const { rootId, runId, tool } = approval;
  const asked = table.get(tool);
  // Whoever may decide on it is declared there.
  if (!asked && (await store.isOfNewer(rootId, holder)))
    throw new HTTPError(503, `"${tool}" is of the newer release: decide at an instance that has it`, {
      headers: { 'retry-after': '1' },
    });
  const { scope, fourEyes } = asked?.approver ?? {};
  if (scope !== undefined && !holds(by, [scope]))
    throw new HTTPError(403, `missing scope "${scope}" to decide`);
  if (fourEyes) requireOther(approval, by);
  const status = approve ? 'approved' : 'denied';
  // A leg under way takes the decision up by itself.
  const taker = roots.draining || roots.has(rootId) ? undefined : { holder, leaseMs };
  const decided = await store.decide(approvalId, { status, note, by: by.id }, taker);
  const { outcome } = decided;
  if (outcome === 'unknown') throw new HTTPError(404, `no approval ${approvalId}`);
  if (outcome === 'expired') throw new HTTPError(410, 'the approval expired');
  // Asked only now: of two that decide at once, the later one is told of the other.
  if (outcome === 'already') throw decidedAlready(await store.approval(approvalId));
  emit({ kind: 'approval_decided', run_id: runId, approval_id: approvalId, tool, status, by: by.id });
  roots.feed.turn(rootId);
  const untilMs = monotonic() + waitMs;
  // It may have parked right before.
  await roots.idle(rootId);
  const taken = outcome === 'decided' ? decided.taken : undefined;
  const response = await (taken ? pool.goOn(taken) : pool.resume(rootId));
  if (response) return response;
  const tree = await roots.settled(rootId, untilMs);
  return tree ? stored.answer(tree) : problemResponse(404, `no run ${rootId}`);
}

/** Refuses whoever made the run go: theirs is the first pair of eyes, and there have to be two. @throws {HTTPError} 403 */
function requireOther({ caller, movers }: MovedApproval, { rootId }: Principal): void {
  if (rootId === caller) throw new HTTPError(403, 'whoever started the run must not decide on it');
  if (movers.includes(rootId))
    throw new HTTPError(403, 'whoever forked or retried the run must not decide on it');
}

/** Tells whoever comes too late who was first, what they said, and when. */
function decidedAlready(approval: Approval | undefined): HTTPError {
  const { status = 'pending', decidedBy = null, decidedMs = null } = approval ?? {};
  // Deleted with its run meanwhile.
  if (status === 'pending' || status === 'expired')
    return new HTTPError(409, 'the approval is decided already');
  const how = decidedBy === null ? 'withdrawn: its run asks no longer' : `${status} by "${decidedBy}"`;
  const when = decidedMs === null ? '' : `, ${new Date(decidedMs).toISOString()}`;
  return new HTTPError(409, `the approval was ${how}${when}`, {
    decision: status,
    decided_by: decidedBy,
    decided_at_ms: decidedMs,
  });
}
