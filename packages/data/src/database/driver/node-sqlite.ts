import { SqlFault } from '../sql-fault.ts';

/** The SQLite that node brings: the only one of a process, whatever its threads. */
type NodeSqlite = typeof import('node:sqlite');

/**
 * Loads it, without the word of older releases that it is an experiment: what we use of it is tested with each.
 *
 * @throws {SqlFault} `NODE_TOO_OLD`
 */
export function loadSqlite(): NodeSqlite {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    const found = process.getBuiltinModule?.('node:sqlite');
    // The last that came of what we use.
    if (found && 'setReturnArrays' in found.StatementSync.prototype) return found;
  } finally {
    process.emitWarning = emitWarning;
  }
  throw new SqlFault('NODE_TOO_OLD');
}
