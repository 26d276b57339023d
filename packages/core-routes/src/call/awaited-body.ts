import type { Awaitable, BodyReceiver, BodySource, Cancel, RouteResponse } from '@waymark/contract/engine';
import type { JsonScan } from '../input/json-scan.ts';
import { refuseExcess } from '../input/parse-json.ts';
import type { CallContext } from './call-context.ts';
import { lateBody, type TimeLimits } from './time-limits.ts';

/** What comes of a body. Neither throws. */
export interface BodyWork {
  /** The answer to a call whose body is there. @param scan has looked through it as it came */
  performWith(
    context: CallContext,
    body: BodySource,
    bytes: Uint8Array,
    scan?: JsonScan,
  ): Awaitable<RouteResponse>;
  /** The answer to one whose body will not come. */
  fail(context: CallContext, error: unknown): RouteResponse;
}

/**
 * A call that waits for its body, within its deadline. Without a signal, which would take longer to make than a small body to
 * read: whoever holds the connection ends the reading when the call is answered.
 */
export class AwaitedBody implements BodyReceiver {
  readonly #context: CallContext;
  readonly #body: BodySource;
  readonly #work: BodyWork;
  readonly #answer: (response: RouteResponse) => void;
  readonly #scan: JsonScan | undefined;
  readonly check: ((piece: Uint8Array) => void) | undefined;
  #cancel: Cancel | undefined;
  #end: ((reason: unknown) => void) | undefined;

  constructor(
    context: CallContext,
    body: BodySource,
    work: BodyWork,
    answer: (response: RouteResponse) => void,
    scan: JsonScan | undefined,
  ) {
    this.#context = context;
    this.#body = body;
    this.#work = work;
    this.#answer = answer;
    this.#scan = scan;
    this.check = scan && ((piece) => look(scan, piece));
  }

  begin(limits: TimeLimits): void {
    const { maxBodyBytes } = this.#context.route;
    if (!this.#body.collect) {
      limits.within(this.#context, this.#body.read(maxBodyBytes), lateBody).then(
        (bytes) => this.arrived(bytes),
        (error: unknown) => this.failed(error),
      );
      return;
    }
    this.#cancel = limits.untilLate(this.#context, lateBody, (error) => this.#end?.(error));
    this.#end = this.#body.collect(maxBodyBytes, this);
  }

  arrived(bytes: Uint8Array): void {
    this.#cancel?.();
    const answer = this.#work.performWith(this.#context, this.#body, bytes, this.#scan);
    if (answer instanceof Promise) void answer.then(this.#answer);
    else this.#answer(answer);
  }

  failed(reason: unknown): void {
    this.#cancel?.();
    this.#answer(this.#work.fail(this.#context, reason));
  }
}

/** @throws {HTTPError} 400 too deep · 413 too many values */
function look(scan: JsonScan, piece: Uint8Array): void {
  scan.take(piece);
  refuseExcess(scan.excess, scan.limits.values);
}
