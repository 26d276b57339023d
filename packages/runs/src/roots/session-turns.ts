import { HTTPError } from '@waymark/contract';
import type { Call } from '@waymark/contract/engine';
import { toWireWait } from '@waymark/contract/runs';
import type { EngineParts } from '../engine-parts.ts';
import type { RunTree } from '../journal/run-tree.ts';
import { waitingStatusOf } from '../told/report.ts';
import { cancelRoot } from './cancel.ts';
import type { Roots } from './roots.ts';
import { SessionQueue } from './session-queue.ts';

/** Turns of one session follow each other, in this process by a queue, and with those of others by who holds it. */
export class SessionTurns {
  readonly #parts: EngineParts & { readonly roots: Roots };
  readonly #queue = new SessionQueue();

  constructor(parts: EngineParts & { readonly roots: Roots }) {
    this.#parts = parts;
  }

  /**
   * Waits for those that were asked for before.
   *
   * @returns ends the turn
   * @throws {HTTPError} 504 not until the deadline · 409 its caller wants no more of it
   */
  async enter(key: string, { deadlineMs, cancel: wish }: Call): Promise<() => void> {
    const { after, monotonic } = this.#parts;
    const entered = this.#queue.enter(key);
    const isTimed = deadlineMs !== undefined && Number.isFinite(deadlineMs);
    if (!isTimed && !wish) return entered;
    return new Promise((resolve, reject) => {
      let left = false;
      const leaveWith = (status: number, message: string, code: string): void => {
        left = true;
        reject(new HTTPError(status, message, { code }));
      };
      const onCancel = (): void => leaveWith(409, 'the turn was cancelled before it began', 'cancelled');
      if (wish?.aborted) onCancel();
      wish?.addEventListener('abort', onCancel, { once: true });
      const cancelTimer = isTimed
        ? after(Math.max(0, deadlineMs - monotonic()), () =>
            leaveWith(504, 'the turns of the session before this one took too long', 'timeout'),
          )
        : undefined;
      void entered.then((leave) => {
        cancelTimer?.();
        wish?.removeEventListener('abort', onCancel);
        if (left) leave();
        else resolve(leave);
      });
    });
  }

  /**
   * Waits for the run that holds a session; one that waits for a human or a provider only goes for a turn that begins anew.
   *
   * @throws {HTTPError} 409 it waits · 503 it goes on, and this turn has not begun
   */
  async makeWay(holderId: string, reset: boolean, untilMs: number): Promise<void> {
    const { roots } = this.#parts;
    const holder = await roots.settled(holderId, untilMs, notBegun);
    if (holder?.root.status !== 'waiting') return;
    if (!reset) throw sessionWaits(holder);
    await cancelRoot(this.#parts, holderId);
    roots.feed.turn(holderId);
  }
}

/** Without the run that holds the session: whoever asked for its answer would take it for that of this turn. */
function notBegun(): HTTPError {
  return new HTTPError(503, 'the turn has not begun, since one before it goes on; ask again');
}

function sessionWaits(holder: RunTree): HTTPError {
  const { rootId, pending, waits } = holder;
  const status = waitingStatusOf(holder);
  const whom = status === 'awaiting_approval' ? 'a human to decide' : `the provider "${waits[0]?.provider}"`;
  return new HTTPError(409, `the session waits for ${whom}`, {
    code: 'session_waits',
    run: {
      ...{ run_id: rootId, status },
      ...(pending.length > 0 && {
        pending_approvals: pending.map(({ approvalId, tool }) => ({ approval_id: approvalId, tool })),
      }),
      ...(waits.length > 0 && { waits: waits.map(toWireWait) }),
    },
  });
}
