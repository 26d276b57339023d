import { HTTPError, type ToolResult } from '@waymark/contract';
import type { Decision, GateRequest, Step } from '@waymark/contract/runs';
import type { Approval, Transaction } from '@waymark/contract/stores';
import { hashOf } from '../journal/fingerprint.ts';
import { LostRun } from '../journal/journal.ts';
import { never } from '../journal/never.ts';
import { isRedone } from '../journal/redone.ts';
import type { LegPort } from './leg-port.ts';
import type { Op } from './op.ts';
import { outcomeUnknown } from './outcome-unknown.ts';

/** The step a call is made in, as the dispatcher and the engines see it. */
export class JournalStep implements Step {
  readonly leg: LegPort;
  readonly op: Op;
  readonly grantedTokens: number | null;
  #closed = false;
  /** Whether it was committed is known only when the effect is. */
  #recorded = false;

  constructor(leg: LegPort, op: Op, grantedTokens: number | null) {
    this.leg = leg;
    this.op = op;
    this.grantedTokens = grantedTokens;
  }

  get runId(): string {
    return this.op.runId;
  }

  get seq(): number {
    return this.op.seq;
  }

  get key(): string {
    return this.op.key;
  }

  async gate(request: GateRequest): Promise<Decision> {
    const { op, leg } = this;
    const newest = leg.tree.approvalsOf(op.runId, op.seq).at(-1);
    if (this.#over) return never();
    if (newest?.status === 'pending') op.asked = newest;
    else if (!newest || isUsedUp(newest, op)) await leg.ask(op, request, (newest?.n ?? 0) + 1);
    else if (newest.status === 'approved') {
      if (newest.argumentsHash !== hashOf(request.arguments))
        throw new HTTPError(409, 'the arguments are not those that were approved', {
          code: 'arguments_changed',
        });
      return { approved: true, note: newest.note };
    } else {
      const reason = newest.status === 'denied' ? 'declined' : 'expired';
      return { approved: false, reason, note: newest.note };
    }
    return this.#hold();
  }

  async begin(): Promise<void> {
    const { op } = this;
    if (this.#over) return never();
    if (op.spec.after) await this.#waitFor(op.spec.after);
    if (this.#over) return never();
    if (op.interrupted) throw outcomeUnknown(op.spec.name);
    if (op.spec.repeat === 'never') await this.leg.recorder.markStarted(op);
  }

  async again(waitMs: number): Promise<boolean> {
    const { leg } = this;
    if (this.#over) return never();
    if (this.#recorded || leg.parts.monotonic() + waitMs >= leg.deadlineMs) return false;
    await leg.pause(this.op, waitMs);
    return this.#over ? never() : true;
  }

  async record(result: ToolResult, transaction: Transaction): Promise<void> {
    this.#recorded = true;
    if (this.#over) throw new LostRun('the step is over');
    await this.leg.recorder.record(this.op, result, transaction);
  }

  onDrop(release: () => void): void {
    this.leg.onDrop(release);
  }

  /** What comes after the step has settled does not count. */
  close(): void {
    this.#closed = true;
  }

  get #over(): boolean {
    return this.#closed || this.op.frame.over;
  }

  /** Held meanwhile: what comes first may wait for a human. */
  async #waitFor(before: Promise<unknown>): Promise<void> {
    this.leg.hold(this.op);
    try {
      await before;
    } finally {
      this.leg.resume(this.op);
    }
  }

  /** Waits for a decision, which the next leg will find; ends only when a call that comes first was declined. */
  #hold(): Promise<never> {
    const { op, leg } = this;
    leg.hold(op);
    return new Promise((_, reject) => {
      op.spec.after?.catch((error: unknown) => {
        if (this.#over) return;
        leg.resume(op);
        reject(error);
      });
    });
  }
}

/** Whether what a human said does not count for the step as it is asked for now. */
function isUsedUp({ status }: Approval, op: Op): boolean {
  return status === 'withdrawn' || isRedone(op.row) || (status === 'approved' && op.interrupted);
}
