import { parseSql } from '../sql-text.ts';
import type { Connection } from './connection.ts';
import { brokenKeys, type Script, ScriptFault } from './script.ts';

/**
 * Runs a script on a connection that is in no transaction, which leaves it with foreign keys enforced.
 *
 * @throws what kept it from beginning, such as a lock
 * @throws {ScriptFault} it was undone
 */
export function runScript(
  connection: Connection,
  { statements, enforcesKeys }: Omit<Script, 'waitMs'>,
): void {
  if (!enforcesKeys) connection.exec('PRAGMA foreign_keys = OFF');
  try {
    connection.exec('BEGIN IMMEDIATE');
    let index = 0;
    try {
      for (const sql of statements) {
        // Something may have undone all that came before: what follows would be stored alone.
        if (!connection.inTransaction) throw new Error('the transaction has ended');
        connection.exec(sql);
        index++;
      }
      if (!enforcesKeys) checkKeys(connection);
      connection.exec('COMMIT');
    } catch (error) {
      throw new ScriptFault(index, error);
    }
  } finally {
    connection.rollBack();
    if (!enforcesKeys) connection.exec('PRAGMA foreign_keys = ON');
    connection.forgetStatements();
  }
}

const findBrokenKeys = parseSql(
  'select "table", parent, count(*) from pragma_foreign_key_check group by 1, 2 limit 3',
);

function checkKeys(connection: Connection): void {
  const { rows } = connection.run(findBrokenKeys, []);
  if (rows.length === 0) return;
  const told = rows.map(
    ([table, parent, count]) =>
      `${String(count)} ${count === 1 ? 'row' : 'rows'} of ${String(table)} refer to rows of ${String(parent)}`,
  );
  throw brokenKeys(told.join(', '));
}
