import type { Cancel, Log } from '@waymark/contract/engine';

/** The engine of a listener. */
export interface RejectionParts {
  /** The root whose code left the promise behind, in whose context the event comes. */
  current(): string | undefined;
  readonly log: Log;
}

/** All engines of the process share one listener, also when the package is there twice. */
const engines = Symbol.for('@waymark/runs: engines that watch rejections');

/** The one listener, and the engines that it asks whether a rejection is theirs. */
type Listener = ((reason: unknown) => void) & { readonly [engines]: Set<RejectionParts> };

/**
 * Logs rejections that code of a run left behind, instead of ending the process: a frame that is dropped while it waits
 * handles nothing any more. All others end it, as if nobody listened, unless the application has a listener of its own.
 *
 * @returns stops it
 */
export function watchRejections(parts: RejectionParts): Cancel {
  // A copy: the same parts may be watched for twice.
  const engine = { ...parts };
  const listener = process.listeners('unhandledRejection').find(isListener) ?? listen();
  listener[engines].add(engine);
  return () => {
    listener[engines].delete(engine);
    if (listener[engines].size === 0) process.off('unhandledRejection', listener);
  };
}

function listen(): Listener {
  const watching = new Set<RejectionParts>();
  const onRejection = (reason: unknown): void => {
    let isOurs = false;
    for (const { current, log } of watching) {
      const rootId = current();
      if (rootId === undefined) continue;
      isOurs = true;
      log('warn', 'a run left a failure behind', { run_id: rootId, error: reason });
    }
    if (isOurs || process.listenerCount('unhandledRejection') > 1) return;
    // In its context, which a throw from here would lose: whoever ends the process says whose failure it is.
    queueMicrotask(() => {
      throw reason;
    });
  };
  const listener: Listener = Object.assign(onRejection, { [engines]: watching });
  process.on('unhandledRejection', listener);
  return listener;
}

function isListener(listener: object): listener is Listener {
  return engines in listener;
}
