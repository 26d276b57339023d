import type { Cancel } from '@waymark/contract/engine';

/** The clock on the wall may be set while a timer waits: so often it is looked at. */
const lookMs = 60_000;

/**
 * Calls a task once, at a moment of the clock on the wall in epoch milliseconds, or when as much time has passed as was
 * left until then, whichever is first: a clock that is set back puts nothing off, one that is set forward is noticed
 * within a minute. Soon when the moment has passed. Keeps no process alive.
 */
export function callAt(atMs: number, task: () => void): Cancel {
  let timer: NodeJS.Timeout;
  const toWallMs = (): number => atMs - Date.now();
  const dueMs = performance.now() + toWallMs();
  const wait = (ms: number): void => {
    timer = setTimeout(look, Math.min(ms, lookMs));
    timer.unref();
  };
  const look = (): void => {
    const leftMs = Math.min(toWallMs(), dueMs - performance.now());
    if (leftMs > 0) wait(leftMs);
    else task();
  };
  wait(Math.max(0, toWallMs()));
  return () => clearTimeout(timer);
}
