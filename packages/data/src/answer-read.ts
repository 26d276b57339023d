import type { Awaitable, EngineContext, RouteResponse } from '@waymark/contract/engine';
import type { SqlDatabase } from './database/sql-database.ts';
import type { SqlResult } from './database/sql-result.ts';
import type { Statement } from './database/sql-transaction.ts';
import { readSignal } from './read-signal.ts';

/** Answers with what one statement reads: without a promise where nothing has to be waited for. */
export function answerRead(
  database: SqlDatabase,
  context: Pick<EngineContext, 'signal'>,
  statement: Statement,
  answer: (result: SqlResult | undefined) => RouteResponse,
): Awaitable<RouteResponse> {
  const statements = [statement];
  const now = database.readNow(statements);
  return now
    ? answer(now[0])
    : database.read(statements, readSignal(database, context)).then(([result]) => answer(result));
}
