import type { Log } from '@waymark/contract/engine';
import type { OnStatement } from './driver.ts';

/** Logs statements that take longer than `slowMs`: their SQL, cut at 2,000 characters, and never their values. */
export function slowLog(log: Log, slowMs = 100): OnStatement {
  return ({ sql }, ms) => {
    if (ms > slowMs) log('warn', 'a slow statement', { sql: sql.slice(0, 2_000), ms: Math.round(ms) });
  };
}
