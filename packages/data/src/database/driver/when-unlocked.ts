import { setTimeout as sleep } from 'node:timers/promises';
import type { Awaitable } from '@waymark/contract/engine';
import { toSqlFault } from '../sql-fault.ts';

/** Tries again while a file is locked: others make it, change its mode, let go of it or write. @param deadlineMs 5,000 */
export async function whenUnlocked<T>(deadlineMs: number | undefined, work: () => Awaitable<T>): Promise<T> {
  const untilMs = performance.now() + (deadlineMs ?? 5_000);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!toSqlFault(error)?.code.startsWith('SQLITE_BUSY') || performance.now() > untilMs) throw error;
    }
    await sleep(5 + Math.random() * 45);
  }
}
