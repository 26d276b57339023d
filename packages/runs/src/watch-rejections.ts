import type { Cancel, Log } from '@waymark/contract/engine';

/** The engine of a listener. */
export interface RejectionParts {
  /** The root whose code left the promise behind, in whose context the event comes. */
  current(): string | undefined;
  readonly log: Log;
}

/** Listeners of all engines of the process know each other by it, also when the package is there twice. */
const engine = Symbol.for('@waymark/runs: rejections');

/** A listener that says whether a rejection is its engine's. */
type Listener = ((reason: unknown) => void) & { readonly [engine]: () => boolean };

/**
 * Logs rejections that code of a run left behind, instead of ending the process: a frame that is dropped while it waits
 * handles nothing any more. All others end it, as if nobody listened, unless the application has a listener of its own.
 *
 * @returns stops it
 */
export function watchRejections({ current, log }: RejectionParts): Cancel {
  const isOurs = (): boolean => current() !== undefined;
  const onRejection = (reason: unknown): void => {
    const rootId = current();
    if (rootId !== undefined) log('warn', 'a run left a failure behind', { run_id: rootId, error: reason });
    else if (isNobodys(listener)) throw reason;
  };
  const listener: Listener = Object.assign(onRejection, { [engine]: isOurs });
  process.on('unhandledRejection', listener);
  return () => void process.off('unhandledRejection', listener);
}

/** Asked by each engine, and true for the first one alone. */
function isNobodys(listener: Listener): boolean {
  const listeners = process.listeners('unhandledRejection');
  const engines = listeners.filter(isEngine);
  return (
    engines.length === listeners.length && engines[0] === listener && !engines.some((one) => one[engine]())
  );
}

function isEngine(listener: object): listener is Listener {
  return engine in listener;
}
