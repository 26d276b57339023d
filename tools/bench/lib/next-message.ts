import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The next message of a process. @throws {Error} when it ends instead */
export async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const over = new AbortController();
  const message = once(child, 'message', over).then(([given]) => given as T);
  const exit = once(child, 'exit', over).then(([code]) => {
    throw new Error(`${child.spawnargs.join(' ')} ended with ${code}`);
  });
  try {
    return await Promise.race([message, exit]);
  } finally {
    over.abort();
    // Whichever is left is told that nobody waits for it any more.
    await Promise.allSettled([message, exit]);
  }
}
