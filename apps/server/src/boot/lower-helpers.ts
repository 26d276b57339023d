import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** A step takes a fifth of what a thread has of a busy processor (`sched(7)`): they have a quarter of it then, and not half. */
const steps = 5;
const lastPriority = 19;

const tasks = '/proc/self/task';

/**
 * Lets the threads in which V8 compiles and collects go after the one that answers, where both want the same processor: beside a
 * flood of bodies they took it for 4 ms of each 8, and a turn of the event loop that takes 20 ms took 40 (measured).
 *
 * Not lower: who is to free memory has to keep up with who takes it. Only Linux has a priority for each thread, and they
 * are known by the name that Node 24 gives them; elsewhere all stays as it is.
 */
export function lowerHelpers(): void {
  if (process.platform !== 'linux' || !existsSync(tasks)) return;
  const priority = Math.min(lastPriority, getPriority() + steps);
  for (const id of readdirSync(tasks)) {
    try {
      if (readFileSync(`${tasks}/${id}/comm`, 'utf8') === 'V8Worker\n') setPriority(Number(id), priority);
    } catch {
      // It has ended, or a sandbox refuses it: they share the processor then.
    }
  }
}
