import type { Cancel } from '@waymark/contract/engine';
import { isPassing, ModelError } from '@waymark/contract/models';
import type { AskedWait } from '@waymark/contract/stores';
import type { LegState } from '../core/state.ts';
import type { EngineParts } from '../engine-parts.ts';
import type { RunTree } from '../journal/run-tree.ts';
import type { Op } from './op.ts';
import { pauseMs } from './pause-ms.ts';

/** A leg, as its waits see it. */
export interface WaitingLeg extends Pick<LegState, 'phase'> {
  readonly parts: EngineParts;
  readonly tree: RunTree;
  /** Monotonic. */
  readonly deadlineMs: number;
  hold(op: Op): void;
  resume(op: Op): void;
  onDrop(release: () => void): void;
}

/** Tries of one step so far; times are monotonic. */
interface Tries {
  readonly count: number;
  readonly sinceMs: number;
  readonly dueMs: number;
}

/**
 * Steps of one leg that something outside keeps from being done. They are held, and tried again in the leg as long as
 * anything else happens in it; else the root parks, and whoever wakes it begins the next one.
 */
export class Waits {
  readonly #leg: WaitingLeg;
  readonly #tries = new Map<string, Tries>();
  readonly #timers = new Set<Cancel>();

  constructor(leg: WaitingLeg) {
    this.#leg = leg;
    const nowMs = leg.parts.monotonic();
    for (const { runId, seq, attempts, forMs, inMs } of leg.tree.waits)
      this.#tries.set(`${runId}.${seq}`, { count: attempts, sinceMs: nowMs - forMs, dueMs: nowMs + inMs });
    leg.onDrop(() => {
      for (const cancel of this.#timers) cancel();
    });
  }

  /** @returns undefined: it can be tried at once; else settles when it is due. Never, when the leg is left before that */
  untilDue(op: Op): Promise<void> | undefined {
    if (this.#tries.size === 0) return undefined;
    const tries = this.#tries.get(op.key);
    const { parts } = this.#leg;
    const ms = (tries?.dueMs ?? 0) - parts.monotonic();
    if (!tries || ms <= 0) return undefined;
    this.#leg.hold(op);
    return new Promise((resolve) => {
      const cancel = parts.after(ms, () => {
        this.#timers.delete(cancel);
        // Nothing new is begun.
        if (this.#leg.phase === 'draining') return;
        this.#leg.resume(op);
        resolve();
      });
      this.#timers.add(cancel);
    });
  }

  /** @returns when a step that failed is tried again; undefined: it has failed for good */
  next(op: Op, error: unknown): AskedWait | undefined {
    if (op.acts || !(error instanceof ModelError) || !isPassing(error.reason)) return undefined;
    const { parts, deadlineMs, tree } = this.#leg;
    const nowMs = parts.monotonic();
    const { count, sinceMs } = this.#tries.get(op.key) ?? { count: 0, sinceMs: nowMs };
    const giveUpInMs = sinceMs + parts.giveUpAfterMs - nowMs;
    // What is out of time is the run itself.
    if (giveUpInMs <= 0 || nowMs >= deadlineMs) return undefined;
    const attempts = count + 1;
    const inMs = Math.min(pauseMs(attempts, error.retryAfterMs, parts.random()), giveUpInMs);
    this.#tries.set(op.key, { count: attempts, sinceMs, dueMs: nowMs + inMs });
    const { runId, seq } = op;
    const { provider, model, reason, message } = error;
    return {
      ...{ runId, seq, kind: 'provider', agent: tree.nameAt(runId, seq) },
      ...{ provider, model, reason, message, attempts },
      ...{ forMs: nowMs - sinceMs, inMs, giveUpInMs },
    };
  }
}
