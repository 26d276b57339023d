import { HTTPError, type RouteTable } from '@waymark/contract';
import type { Call, Cancel } from '@waymark/contract/engine';
import type { CallContext } from './call-context.ts';
import { Deadlines } from './deadlines.ts';

/** The error of what took too long. */
type ToError = (seconds: number) => HTTPError;

/** The deadlines of the calls of a table. */
export class TimeLimits {
  readonly #table: Pick<RouteTable, 'timeoutOf'>;
  readonly #monotonic: () => number;
  readonly #deadlines = new Deadlines();

  constructor(table: Pick<RouteTable, 'timeoutOf'>, monotonic: () => number) {
    this.#table = table;
    this.#monotonic = monotonic;
  }

  /** When a call has to be over: when that is which made it, or once its route has had its time. */
  deadline({ route, deadlineMs = Number.POSITIVE_INFINITY }: Call, startedMs: number): number {
    return Math.min(startedMs + this.#table.timeoutOf(route), deadlineMs);
  }

  /** Ends work at the deadline, even when a handler ignores its signal. */
  within<T>(context: CallContext, work: Promise<T>, toError = lateAnswer): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.untilLate(context, toError, reject);
      work.then(
        (value) => {
          cancel();
          resolve(value);
        },
        (error: unknown) => {
          cancel();
          reject(error);
        },
      );
    });
  }

  /** @param onLate called at the deadline, unless cancelled first */
  untilLate(context: CallContext, toError: ToError, onLate: (error: HTTPError) => void): Cancel {
    const cancel = this.#deadlines.add(context.deadlineMs - this.#monotonic(), () => {
      const error = toError(this.#table.timeoutOf(context.route) / 1000);
      context.abort(error);
      onLate(error);
    });
    context.step?.onDrop(cancel);
    return cancel;
  }
}

/** The engine took too long. */
function lateAnswer(seconds: number): HTTPError {
  return new HTTPError(504, `timed out after ${seconds} s`, { code: 'timeout' });
}

/** The caller took too long. */
export function lateBody(seconds: number): HTTPError {
  return new HTTPError(408, `the body did not arrive within ${seconds} s`);
}
