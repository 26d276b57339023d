import type { Json } from '@waymark/contract';
import { type Cancel, HostError } from '@waymark/contract/engine';
import type { Spend } from '@waymark/contract/models';
import type { OpResult, Step } from '@waymark/contract/runs';
import type { AskedWait } from '@waymark/contract/stores';
import type { Reservation } from '../budget/token-budget.ts';
import { tokensOf } from '../budget/usage.ts';
import { JournalStep } from './journal-step.ts';
import type { LegPort } from './leg-port.ts';
import type { Op } from './op.ts';
import { outcomeUnknown } from './outcome-unknown.ts';
import { type Postponed, type Settled, toFailure, toResult } from './settled.ts';

/** Does a step, within the budgets above it, and says what came of it, or that it is to be tried again. */
export async function attempt(
  leg: LegPort,
  op: Op,
  body: (step: Step) => Promise<OpResult<Json>>,
): Promise<Settled | Postponed> {
  const { spec } = op;
  let reservation: Reservation | undefined;
  let step: JournalStep | undefined;
  let spend: readonly Spend[] = [];
  let wait: AskedWait | undefined;
  let noted: Cancel | undefined;
  try {
    if (op.interrupted && leg.tree.approvalsOf(op.runId, op.seq).length === 0)
      throw outcomeUnknown(spec.name);
    if (spec.reserveTokens !== undefined) reservation = await reserve(leg, op, spec.reserveTokens);
    // In case nobody is there when it ends.
    noted = spec.estimate && leg.parts.longCalls.add(() => leg.recorder.begin(op));
    step = new JournalStep(leg, op, reservation?.grantedTokens ?? null);
    const result = await body(step);
    spend = result.spend ?? spend;
    if (op.interrupted) throw outcomeUnknown(spec.name);
    return toResult(spec, result.value, spend);
  } catch (error) {
    if (error instanceof HostError) return await leg.disturb(error);
    if (error instanceof Error && 'spend' in error && Array.isArray(error.spend))
      spend = error.spend as readonly Spend[];
    wait = leg.waits.next(op, error);
    return wait ? { state: 'waiting', wait, spend } : toFailure(spec, error, spend);
  } finally {
    noted?.();
    step?.close();
    // What a provider that is out of reach did not count costs nothing.
    charge(leg, op, reservation, spend, wait !== undefined);
  }
}

async function reserve(
  { budget }: LegPort,
  { frame, spec }: Op,
  reserveTokens: number,
): Promise<Reservation> {
  const { estimateTokens = 0 } = spec;
  const maxTokens = Math.max(0, reserveTokens - estimateTokens);
  const reservation = await budget.reserve(frame.chain, { estimate: estimateTokens, maxTokens });
  if (frame.over) reservation.settle(undefined);
  return reservation;
}

function charge(
  leg: LegPort,
  { frame }: Op,
  reservation: Reservation | undefined,
  spend: readonly Spend[],
  isCounted: boolean,
): void {
  const used = tokensOf(spend);
  if (reservation) reservation.settle(isCounted || spend.length > 0 ? used : undefined);
  else if (used > 0) for (const counter of frame.chain) counter.used += used;
  leg.warnOfBudget();
}
