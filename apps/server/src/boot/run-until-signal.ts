import type { RunningApplication } from './start-application.ts';

/** npm and watchers pass on the SIGINT that the terminal has sent to everybody: one key, two signals. */
const echoMs = 200;

/** Failures that are logged; one that comes with every tick of a timer would fill the disk while the process drains. */
const maxTold = 20;

/**
 * Serves until SIGTERM or SIGINT, then closes the application and ends the process with exit code 0, whatever timers or
 * connections are left open. A second signal ends it at once, with 1.
 *
 * A failure that nobody handles (a rejection, a throw in a timer or an event) is logged `fatal` with the route and the
 * request it came from, and closes the application in the same way, with 1 in the end. An application that listens to
 * `uncaughtException` or `unhandledRejection` itself decides for itself.
 *
 * @throws {Error} the application failed to close
 */
export function runUntilSignal(running: RunningApplication): Promise<never> {
  return new Promise((_resolve, reject) => {
    let first: { readonly signal: NodeJS.Signals; readonly atMs: number } | undefined;
    let failures = 0;
    const stop = (signal: NodeJS.Signals): void => {
      const atMs = performance.now();
      if (first) {
        if (signal !== first.signal || atMs - first.atMs > echoMs) process.exit(1);
        return;
      }
      first = { signal, atMs };
      running.log('info', 'stopping', { signal });
      end();
    };
    // Closes once, however often it is asked.
    const end = (): void => {
      running.close().then(() => process.exit(failures > 0 ? 1 : 0), reject);
    };
    // What a failure leaves undone is unknown, so the process ends; but those whose requests are under way are not to pay
    // for it, nor for the second failure of the same handler, which is likely to come meanwhile. The end is bounded anyway.
    const fail = Object.assign(
      (error: unknown): void => {
        if (isHandledElsewhere()) return;
        const calledBy = running.currentCall();
        if (++failures <= maxTold) running.log('fatal', 'nobody handled a failure', { ...calledBy, error });
        running.failed();
        if (failures === 1 && !first) {
          running.log('info', 'stopping');
          end();
        }
      },
      { [ours]: true },
    );
    process.on('SIGTERM', stop).on('SIGINT', stop).on('uncaughtException', fail);
  });
}

/** Servers of one process know each other's listeners by it, also when the package is there twice. */
const ours = Symbol.for('@waymark/server: failures');

function isHandledElsewhere(): boolean {
  return process.listeners('uncaughtException').some((listener) => !(ours in listener));
}
