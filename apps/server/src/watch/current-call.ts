import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from '@waymark/contract/engine';
import type { CallTrace } from '@waymark/core-routes';
import { toAddressKey } from '@waymark/http';

/** A call as the log names it. */
export interface CallName {
  readonly route: string;
  readonly request_id: string;
}

/** The call that had most of a turn of the event loop. */
export interface Culprit {
  readonly call: CallName;
  /** Its own work was measured; else it is the one behind which most of the time passed until the next one came in. */
  readonly measured: boolean;
}

/** What code knows of the call that it runs in. */
interface Within extends CallName {
  /** Undefined while nobody is signed in. */
  readonly principalId: string | undefined;
  readonly address: string;
}

/** Work of a call that was measured, or time that passed behind its beginning. */
interface Share {
  readonly call: Call;
  readonly ms: number;
}

/**
 * Knows which call is worked on. A turn that blocks is synchronous, so what held it is told by two notes of a call, when
 * its work begins and when that ends or waits; what a handler does after it has waited is not measured.
 */
export class CurrentCall implements CallTrace {
  readonly #context = new AsyncLocalStorage<Within>();
  /** Nothing is kept of a call beyond the next `culprit`. */
  #last: Call | undefined;
  #lastMs = 0;
  #measured: Share | undefined;
  #guessed: Share | undefined;

  /** The call in whose context this code runs: a handler, or what it left behind. */
  get name(): CallName | undefined {
    const within = this.#context.getStore();
    return within && { route: within.route, request_id: within.request_id };
  }

  /** Who began the call: its principal, or an address while nobody is signed in. */
  get caller(): string | undefined {
    const within = this.#context.getStore();
    if (!within) return undefined;
    const { principalId, address } = within;
    return principalId === undefined ? `ip ${toAddressKey(address)}` : `id ${principalId}`;
  }

  began(call: Call, atMs: number): void {
    this.#close(atMs);
    this.#last = call;
    this.#lastMs = atMs;
  }

  ended(atMs: number): void {
    const ms = atMs - this.#lastMs;
    if (this.#last && ms > (this.#measured?.ms ?? noticedMs)) this.#measured = { call: this.#last, ms };
  }

  /**
   * What comes behind a request, its answer and its log line, is its own, and node begins the next one in a context of its
   * own: so nothing is put back there, which costs as much as to enter (0.2 µs, measured).
   */
  within<T>(call: Call, work: () => T): T {
    const within = toWithin(call);
    if (call.via !== 'http') return this.#context.run(within, work);
    this.#context.enterWith(within);
    return work();
  }

  /** Who had most of the time since this was asked last, if anybody had half of a turn that took so long. */
  culprit(atMs: number, turnMs: number): Culprit | undefined {
    this.#close(atMs);
    const measured = this.#measured;
    const guessed = this.#guessed;
    this.#last = undefined;
    this.#measured = undefined;
    this.#guessed = undefined;
    if (measured && measured.ms >= turnMs / 2) return { call: toName(measured.call), measured: true };
    if (guessed && guessed.ms >= turnMs / 2) return { call: toName(guessed.call), measured: false };
    return undefined;
  }

  /** What passed behind the call that began last. */
  #close(atMs: number): void {
    const ms = atMs - this.#lastMs;
    if (this.#last && ms > (this.#guessed?.ms ?? noticedMs)) this.#guessed = { call: this.#last, ms };
  }
}

/** Shorter work holds up nobody, and nothing is noted for it. */
const noticedMs = 10;

function toName({ route, requestId }: Call): CallName {
  return { route: route.name, request_id: requestId };
}

function toWithin({ route, requestId, principal, clientAddress = '' }: Call): Within {
  const principalId = principal.authenticated ? principal.rootId : undefined;
  return { route: route.name, request_id: requestId, principalId, address: clientAddress };
}
