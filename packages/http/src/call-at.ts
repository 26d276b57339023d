import type { Cancel } from '@waymark/contract';

/** The longest time node's timers can wait; they would fire a longer one at once. */
const longestMs = 2_147_483_647;

/** Calls a task at a moment of the wall clock, in epoch milliseconds; soon when that has passed. Keeps no process alive. */
export function callAt(atMs: number, task: () => void): Cancel {
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const leftMs = atMs - Date.now();
    timer = setTimeout(leftMs > longestMs ? arm : task, Math.min(Math.max(0, leftMs), longestMs));
    timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}
