import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Progress } from '@waymark/contract';
import type { CallContext } from './call-context.ts';

/**
 * What an engine gave, if it has to be waited for: a promise, another thenable, or a generator, whose progress is
 * reported on the way.
 *
 * @returns undefined for a value that is there
 */
export function laterValue(value: unknown, context: CallContext): Promise<unknown> | undefined {
  if (isAsyncGenerator(value)) return drive(value, context);
  return isThenable(value) ? Promise.resolve(value) : undefined;
}

/** Not only promises: query builders of SQL libraries are objects to be awaited too. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator<Progress, unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'return' in value;
}

/** Milliseconds of yielding after which others have a turn. */
const turnMs = 2;

/**
 * Reports what a generator yields, and stops asking it once the call is over. One that waits for nothing between two yields
 * would hold everybody, its own deadline among them: others have a turn in between.
 */
async function drive(generator: AsyncGenerator<Progress, unknown>, context: CallContext): Promise<unknown> {
  let turnAtMs = performance.now();
  for (;;) {
    const { done, value } = await generator.next();
    if (done) return value;
    context.observe(value);
    // What must not be lost is not kept either: a slow reader slows its generator.
    if (!givesWay(value)) await roomOrEnd(context);
    if (performance.now() - turnAtMs >= turnMs) {
      await endOfTurn();
      turnAtMs = performance.now();
    }
    if (context.signal.aborted) {
      await generator.return(undefined);
      throw context.signal.reason;
    }
  }
}

/** Settles with room for more, or with the call: who stops reading keeps no generator beyond its deadline. */
function roomOrEnd(context: CallContext): Promise<void> | undefined {
  const { signal } = context;
  const room = signal.aborted ? undefined : context.room();
  return (
    room &&
    new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      signal.addEventListener('abort', end);
      void room.finally(end);
    })
  );
}

/** Of `progress` the newest says all, unless it has an id. Handlers in JavaScript may yield anything. */
function givesWay(progress: Progress | null | undefined): boolean {
  return progress?.event === 'progress' && progress.id === undefined;
}
