import { type Call, problemResponse, type RouteResponse } from '@waymark/contract/engine';
import type { Link } from './link.ts';
import type { ToOwner, ToWorker } from './messages.ts';
import { PendingCall } from './pending-call.ts';

/** Options of `OwnerCalls`. */
export interface OwnerCallsOptions {
  /** Milliseconds that a call waits for an owner while there is none; default: 10,000. Then it is 503. */
  readonly waitMs?: number;
  /** Calls that wait at a time, 1 or more; one more is 503. Default: 1,024. */
  readonly maxWaiting?: number;
  /** Milliseconds of a clock that is never set; default: `performance.now`. */
  readonly monotonic?: () => number;
}

interface Waiting {
  readonly call: Call;
  readonly resolve: (response: RouteResponse) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * The calls of one worker that the owner answers. Each travels as the name of its route and its input, and enters the
 * owner's own dispatcher with the principal that the worker's door established.
 *
 * While there is no owner calls wait for the next one. What was under way when an owner ended is 503, since nobody knows
 * whether it was done; a call that changes nothing is made again.
 */
export class OwnerCalls {
  readonly #options: Required<OwnerCallsOptions>;
  readonly #waiting = new Set<Waiting>();
  #send: ((call: Call, resolve: (response: RouteResponse) => void) => void) | undefined;
  #replaced: () => void = () => {};
  #closed = false;

  constructor({ waitMs = 10_000, maxWaiting = 1_024, monotonic }: OwnerCallsOptions = {}) {
    this.#options = { waitMs, maxWaiting, monotonic: monotonic ?? (() => performance.now()) };
  }

  /** Calls go to this owner from now on, those that wait first. An earlier one is left when it has answered what it has. */
  connect(link: Link<ToOwner, ToWorker>): void {
    const pending = new Map<number, PendingCall>();
    const { monotonic } = this.#options;
    let calls = 0;
    let replaced = false;
    const send = (call: Call, resolve: (response: RouteResponse) => void): void => {
      const id = ++calls;
      const forget = (): void => {
        pending.delete(id);
        if (replaced && pending.size === 0) link.close();
      };
      const one = new PendingCall({ link, id, call, monotonic, resolve, forget });
      pending.set(id, one);
      lost.set(one, () => this.#enter(call, resolve));
      try {
        one.start();
      } catch (error) {
        pending.delete(id);
        throw error;
      }
    };
    const lost = new WeakMap<PendingCall, () => void>();
    link.onMessage((message) => pending.get(message.id)?.receive(message));
    link.onClose(() => {
      if (this.#send === send) this.#send = undefined;
      for (const one of [...pending.values()]) if (one.lose()) lost.get(one)?.();
    });
    this.#send = send;
    this.#replaced();
    this.#replaced = () => {
      replaced = true;
      if (pending.size === 0) link.close();
    };
    for (const { call, resolve, timer } of this.#waiting) {
      clearTimeout(timer);
      this.#enter(call, resolve);
    }
    this.#waiting.clear();
  }

  /** Never rejects for want of an owner. */
  dispatch(call: Call): Promise<RouteResponse> {
    return new Promise((resolve) => this.#enter(call, resolve));
  }

  /** Waits for no owner any more. */
  close(): void {
    this.#closed = true;
    for (const { resolve, timer } of this.#waiting) {
      clearTimeout(timer);
      resolve(noOwner());
    }
    this.#waiting.clear();
  }

  #enter(call: Call, resolve: (response: RouteResponse) => void): void {
    if (this.#send) {
      this.#send(call, resolve);
      return;
    }
    const { waitMs, maxWaiting, monotonic } = this.#options;
    const leftMs = Math.min(waitMs, (call.deadlineMs ?? Number.POSITIVE_INFINITY) - monotonic());
    if (this.#closed || this.#waiting.size >= maxWaiting || leftMs <= 0) {
      resolve(noOwner());
      return;
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(one);
      resolve(noOwner());
    }, leftMs);
    const one: Waiting = { call, resolve, timer };
    this.#waiting.add(one);
  }
}

/** Nothing was done, and whoever asks again may be luckier. */
function noOwner(): RouteResponse {
  return problemResponse(503, 'the process that owns this route is starting', {}, { 'retry-after': '1' });
}
