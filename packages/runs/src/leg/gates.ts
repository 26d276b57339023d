import type { GateRequest } from '@waymark/contract/runs';
import type { RunRecord } from '@waymark/contract/stores';
import { hashOf } from '../journal/fingerprint.ts';
import { isRedone } from '../journal/redone.ts';
import type { AskedApproval } from '../notices.ts';
import type { Op } from './op.ts';

/** Default time to decide (decision 8). */
const defaultExpiresMs = 24 * 60 * 60_000;

/** Reasons to ask somebody again. */
const interrupted = 'the approved call was interrupted; it may have happened; approve to run it again';
const redone = 'the call failed before, and its run is retried; approve to run it again';

/** Makes the question to a human about a step. @param n how often this step is asked about, from 1 */
export function toQuestion(
  op: Op,
  request: GateRequest,
  about: {
    readonly run: RunRecord;
    readonly root: RunRecord;
    readonly path: readonly string[];
    readonly approvalId: string;
    readonly n: number;
    readonly nowMs: number;
  },
): AskedApproval {
  const { run, root, path, approvalId, n, nowMs } = about;
  return {
    approvalId,
    runId: op.runId,
    rootId: root.runId,
    seq: op.seq,
    n,
    kind: run.spec.kind,
    // An agent that the run was handed over to asks for itself.
    agent: path.at(-1) ?? run.spec.name,
    path,
    caller: root.principal.rootId,
    tool: request.tool,
    arguments: request.arguments,
    argumentsHash: hashOf(request.arguments),
    reason: reasonOf(op),
    status: 'pending',
    note: '',
    decidedBy: null,
    requestedMs: nowMs,
    decidedMs: null,
    expiresMs: nowMs + (request.approver.expiresMs ?? defaultExpiresMs),
  };
}

function reasonOf(op: Op): string | null {
  if (op.interrupted) return interrupted;
  return isRedone(op.row) ? redone : (op.spec.reason ?? null);
}

/** A step, and what a human is asked about it. */
export interface Ask {
  readonly op: Op;
  readonly question: AskedApproval;
  readonly asked: () => void;
}

/** Collects the gated calls of one turn of the event loop: humans are asked about all of them in one commit. */
export class Gates {
  readonly #commit: (asks: readonly Ask[]) => Promise<void>;
  #asks: Ask[] = [];

  constructor(commit: (asks: readonly Ask[]) => Promise<void>) {
    this.#commit = commit;
  }

  /** Settles when the question is stored. */
  ask(op: Op, question: AskedApproval): Promise<void> {
    return new Promise((resolve) => {
      if (this.#asks.length === 0) setImmediate(() => this.#flush());
      this.#asks.push({ op, question, asked: resolve });
    });
  }

  #flush(): void {
    const asks = this.#asks;
    this.#asks = [];
    void this.#commit(asks).then(() => {
      for (const { asked } of asks) asked();
    });
  }
}
