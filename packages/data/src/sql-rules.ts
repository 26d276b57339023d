import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** Rules of query and resource declarations, by the `code` that a problem carries. */
export const sqlRules = {
  'sql-database': 'A declaration that runs SQL has a database.',
  'query-sql': 'A query is one statement that reads or changes rows, of tables and columns that exist.',
  'query-params': 'The params of a query are a list of names, or a map of name to type.',
  'query-placeholders': 'Placeholders, params and the names in the path of a query are the same.',
  'query-principal': 'The root principal is bound as "@principal", and nothing else has that name.',
  'query-returns': 'A query returns what its statement gives.',
  'query-row':
    'The row of a query is a map of column to type, and has the columns of its statement, none of them __proto__.',
  'query-method': 'A query that changes rows is not a GET.',
  'resource-name': 'The name of a resource is 1 to 57 letters, digits, "_" or "-".',
  'resource-fields': 'A resource has a map of field to type.',
  'resource-field-name': 'A field is a word of letters, digits and "_", and not limit, offset or sort.',
  'resource-key': 'The primary key is an integer or text, always given and never null.',
  'resource-table': 'The table of a resource is one of its own, and exists or may be made.',
  'resource-columns': 'The table of a resource has its fields as columns, and its primary key.',
  'resource-column-type': 'A column of a resource keeps the values of its field as they are.',
  'resource-new-row': 'A new row of a resource gives what its table must have, and nothing that is computed.',
  'resource-drizzle-table': 'The drizzle table of a resource is a table of SQLite.',
  'resource-drizzle-column':
    'Each column of a drizzle table that is a resource has a form in JSON, or is omitted and may be left out.',
  'resource-scopes': 'A resource whose reading is guarded says who may write.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type SqlRuleFault = Fault<keyof typeof sqlRules>;
