import type { Awaitable, Cancel } from '@waymark/contract/engine';
import type { McpAnswer, McpContext } from '../mcp.ts';
import type { Dialect } from '../protocol/dialect.ts';
import { EventStream } from './event-stream.ts';
import type { Patience } from './patience.ts';

/** What the exchanges of a server share. */
export interface Pace {
  /** Knows when an answer takes so long that its client should see a sign of life. */
  readonly patience: Patience;
  readonly keepAliveMs: number;
}

/** What its revision makes of an exchange. */
export interface ExchangeRules {
  readonly dialect: Dialect;
  /** Whether a client that goes away means that it wants no answer: 2026-07-28 says so, the others forbid it. */
  readonly cancels: boolean;
  /** Whether the POST is one message: what its status says is said of nothing else. */
  readonly alone: boolean;
}

/** One POST on its way to its answer: JSON, or a stream as soon as there is something to say before. */
export class Exchange {
  readonly context: McpContext;
  readonly dialect: Dialect;
  readonly #cancels: boolean;
  readonly #alone: boolean;
  #challenge: string | undefined;
  readonly #pace: Pace;
  #resolve: ((answer: McpAnswer) => void) | undefined;
  #stream: EventStream | undefined;
  #controller: AbortController | undefined;
  #unfollow: Cancel | undefined;
  #gone: { readonly reason: unknown } | undefined;

  constructor(context: McpContext, { dialect, cancels, alone }: ExchangeRules, pace: Pace) {
    this.context = context;
    this.dialect = dialect;
    this.#cancels = cancels;
    this.#alone = alone;
    this.#pace = pace;
  }

  /** Whether the client can be told something before the answer. */
  get listens(): boolean {
    return this.context.streaming === 'allowed' || this.context.streaming === 'only';
  }

  get cancels(): boolean {
    return this.#cancels;
  }

  /** Fires when the client goes away, before or after the answer became a stream. Made when somebody looks. */
  get signal(): AbortSignal {
    this.#controller ??= this.#follow();
    return this.#controller.signal;
  }

  /** Sends a notification; the answer becomes a stream. Returns at once. @param message JSON */
  tell(message: string): void {
    this.#open();
    this.#stream?.send(message);
  }

  /**
   * Makes the answer a 403 that asks for something. Not where others are answered with it, nor once it has become a
   * stream: its status is sent.
   *
   * @param challenge the value of `WWW-Authenticate`
   * @returns whether the status can still be that
   */
  forbid(challenge: string): boolean {
    if (!this.#alone || this.#stream) return false;
    this.#challenge = challenge;
    return true;
  }

  /** Gives what `work` makes, a JSON text; at once, if that is there. @param work never rejects */
  answer(work: Awaitable<string>): Awaitable<McpAnswer> {
    if (!(work instanceof Promise)) return this.#answerNow(work);
    if (!this.listens)
      return work.then((body) => {
        this.#unfollow?.();
        return this.#whole(body);
      });
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const cancel = this.#pace.patience.wait(() => this.#open());
      if (this.#stream || this.context.streaming === 'only') this.#open();
      void work.then((body) => {
        cancel();
        this.#unfollow?.();
        if (this.#stream) this.#stream.end(body);
        else resolve(this.#whole(body));
      });
    });
  }

  #answerNow(body: string): McpAnswer {
    this.#unfollow?.();
    if (this.context.streaming === 'only') this.#open();
    if (!this.#stream) return this.#whole(body);
    this.#stream.end(body);
    return { status: 200, events: this.#stream.readable };
  }

  #whole(body: string): McpAnswer {
    const challenge = this.#challenge;
    return challenge === undefined ? { status: 200, body } : { status: 403, body, challenge };
  }

  #open(): void {
    this.#stream ??= new EventStream({
      keepAliveMs: this.#pace.keepAliveMs,
      onGone: (reason) => {
        this.#gone = { reason };
        this.#controller?.abort(reason);
      },
    });
    this.#resolve?.({ status: 200, events: this.#stream.readable });
  }

  #follow(): AbortController {
    const controller = new AbortController();
    const { signal } = this.context;
    const over = this.#gone ?? (signal?.aborted ? signal : undefined);
    if (over) controller.abort(over.reason);
    else if (signal) {
      const onAbort = (): void => controller.abort(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#unfollow = () => signal.removeEventListener('abort', onAbort);
    }
    return controller;
  }
}
