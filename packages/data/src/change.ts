import type { EngineContext, RouteResponse } from '@waymark/contract/engine';
import { toToolResult } from '@waymark/contract/tools';
import type { SqlDatabase } from './database/sql-database.ts';
import type { SqlResult } from './database/sql-result.ts';
import type { SqlTransaction, Statement } from './database/sql-transaction.ts';

/** A statement that changes rows, those that look at what it changes, and what is said about it. */
export interface Change {
  readonly statements: readonly Statement[];
  /** Given the result of each. What it throws undoes a change that is part of a run or has a condition. */
  answer(results: readonly SqlResult[]): RouteResponse;
  /** Looks at the state the change begins with; what it throws keeps it from happening. */
  condition?(transaction: SqlTransaction): Promise<void>;
}

/**
 * Makes a change in one commit: grouped with others where nothing else belongs to it, in a transaction of its own with
 * its condition and with the journal step of the run that asked for it.
 */
export async function commitChange(
  database: SqlDatabase,
  context: Pick<EngineContext, 'step' | 'signal'>,
  { statements, answer, condition }: Change,
): Promise<RouteResponse> {
  const { step } = context;
  if (!step && !condition) return answer(await database.write(statements, context));
  return database.transaction(async (transaction) => {
    await condition?.(transaction);
    const results: SqlResult[] = [];
    for (const { sql, args } of statements) results.push(await transaction.run(sql, args));
    const response = answer(results);
    await step?.record(await toToolResult(response), transaction.handle);
    return response;
  }, context.signal);
}
