import type { RunningApplication } from './start-application.ts';

/**
 * Waits for SIGTERM or SIGINT, then closes the application. A second signal ends the process at once.
 *
 * @returns when everything is closed
 */
export function runUntilSignal(running: RunningApplication): Promise<void> {
  return new Promise((resolve, reject) => {
    const signals = ['SIGTERM', 'SIGINT'] as const;
    const stop = (signal: NodeJS.Signals): void => {
      for (const one of signals) process.off(one, stop).once(one, () => process.exit(1));
      running.log('info', 'stopping', { signal });
      running.close().then(resolve, reject);
    };
    for (const one of signals) process.once(one, stop);
  });
}
