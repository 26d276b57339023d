import type { RunningApplication } from './start-application.ts';

/** npm and watchers pass on the SIGINT that the terminal has sent to everybody: one key, two signals. */
const echoMs = 200;

/**
 * Serves until SIGTERM or SIGINT, then closes the application and ends the process with exit code 0, whatever timers or
 * connections are left open. A second signal ends it at once, with 1.
 *
 * @throws {Error} the application failed to close
 */
export function runUntilSignal(running: RunningApplication): Promise<never> {
  return new Promise((_resolve, reject) => {
    let first: { readonly signal: NodeJS.Signals; readonly atMs: number } | undefined;
    const stop = (signal: NodeJS.Signals): void => {
      const atMs = performance.now();
      if (first) {
        if (signal !== first.signal || atMs - first.atMs > echoMs) process.exit(1);
        return;
      }
      first = { signal, atMs };
      running.log('info', 'stopping', { signal });
      running.close().then(() => process.exit(0), reject);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
}
