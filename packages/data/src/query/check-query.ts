import { isOptions, nearestOr } from '@waymark/contract/declaring';
import type { SqlDatabase } from '../database/sql-database.ts';
import { lostColumn } from '../database/sql-result.ts';
import type { SqlText } from '../database/sql-text.ts';
import { isFieldType } from '../fields/field.ts';
import type { SqlRuleFault } from '../sql-rules.ts';
import type { QueryDeclaration } from './query.ts';

/** Compares a query with the database: its tables and columns must exist, and give what it says it returns. */
export async function compareQuery(
  { options }: QueryDeclaration,
  database: SqlDatabase,
): Promise<readonly SqlRuleFault[]> {
  const { sql, given } = options;
  const { returns = 'many', row = {} } = given;
  const checked = await database.check(sql);
  if (!checked.ok)
    return [{ code: 'query-sql', rule: `its SQL does not run: ${checked.problem}`, fix: 'correct the SQL' }];
  // A remote database does not say which columns come out.
  if (database.kind === 'remote' || returns === 'affected') return [];
  const { columns } = checked;
  if (columns.length === 0)
    return [
      {
        code: 'query-returns',
        rule: 'its statement gives no rows',
        fix: "write returns: 'affected', or end the SQL with RETURNING",
      },
    ];
  if (columns.includes(lostColumn))
    return [
      {
        code: 'query-row',
        rule: `its statement gives a column "${lostColumn}", which is no name of a member`,
        fix: `give it another name: select "${lostColumn}" as …`,
      },
    ];
  return Object.keys(row)
    .filter((name) => !columns.includes(name))
    .map((name) => ({
      code: 'query-row',
      rule: `its statement gives no column "${name}"`,
      ...nearestOr(`write one of ${columns.join(', ')}`, name, columns),
    }));
}

/** Finds what is wrong with the row a query says it gives. */
export function checkRow(row: unknown, returns: unknown): readonly SqlRuleFault[] {
  if (row === undefined) return [];
  if (returns === 'affected') return [{ code: 'query-row', rule: 'it returns no rows', fix: 'take row out' }];
  return isOptions(row) && Object.values(row).every(isFieldType)
    ? []
    : [
        {
          code: 'query-row',
          rule: 'its row is no map of column to type',
          fix: "write row: { title: 'string' }",
        },
      ];
}

/** Finds what does not go with what a statement does. */
export function checkReturns({ kind }: SqlText, method: string, returns: string): readonly SqlRuleFault[] {
  if (kind === 'read')
    return returns === 'affected'
      ? [
          {
            code: 'query-returns',
            rule: 'it affects no rows: its SQL only reads',
            fix: "write returns: 'many'",
          },
        ]
      : [];
  return method === 'GET'
    ? [
        {
          code: 'query-method',
          severity: 'warning',
          rule: 'it changes rows by GET, which browsers and agents repeat and fetch ahead',
          fix: 'declare it with POST, PUT, PATCH or DELETE',
        },
      ]
    : [];
}
