import type { EngineContext } from '@waymark/contract/engine';
import type { SqlDatabase } from './database/sql-database.ts';

/**
 * The signal that a read is to be given up by. A database of this machine answers before anybody could give up, and a
 * signal is only made when somebody looks at it: two controllers and their listeners, dearer than reading a row.
 */
export function readSignal(
  { kind }: SqlDatabase,
  context: Pick<EngineContext, 'signal'>,
): AbortSignal | undefined {
  return kind === 'remote' ? context.signal : undefined;
}
