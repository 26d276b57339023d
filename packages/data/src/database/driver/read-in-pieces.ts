import type { Client, InStatement, ResultSet } from '@libsql/client';
import { withDeadline } from './deadline.ts';

/** Rows asked for at once, fewer with each try: one alone always fits, since no server stores one of more than 5 MB. */
const windows = [100, 10, 1];

type Asked = Exclude<InStatement, string>;

/** Whether a server has refused to answer so much at once: 10 MB, where nobody told it otherwise. */
export function isTooMuch(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'RESPONSE_TOO_LARGE';
}

/**
 * Reads what does not fit into one answer of a server, some rows at a time, all of it in one state of the database.
 *
 * @param requestMs how long the server may take for each piece
 */
export async function readInPieces(
  client: Client,
  statements: readonly Asked[],
  requestMs: number,
  signal?: AbortSignal,
): Promise<readonly ResultSet[]> {
  let refusal: unknown;
  for (const size of windows) {
    const transaction = await withDeadline(client.transaction('read'), requestMs, signal);
    const ask = (statement: Asked): Promise<ResultSet> =>
      withDeadline(transaction.execute(statement), requestMs, signal);
    try {
      const sets: ResultSet[] = [];
      for (const statement of statements) sets.push(await readAll(statement, size, ask));
      return sets;
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      // The server has ended the transaction with it.
      refusal = error;
    } finally {
      transaction.close();
    }
  }
  throw refusal;
}

async function readAll(
  statement: Asked,
  size: number,
  ask: (statement: Asked) => Promise<ResultSet>,
): Promise<ResultSet> {
  // What else only reads is short: PRAGMA, EXPLAIN.
  if (!/^\s*(select|with|values)\b/i.test(statement.sql)) return ask(statement);
  const inner = statement.sql.replace(/;\s*$/, '');
  const piece = (offset: number): Promise<ResultSet> =>
    ask({ ...statement, sql: `select * from (${inner}\n) limit ${size} offset ${offset}` });
  const first = await piece(0);
  const rows = [...first.rows];
  for (let last = first.rows.length; last === size; ) {
    const next = await piece(rows.length);
    rows.push(...next.rows);
    last = next.rows.length;
  }
  return { ...first, rows };
}
