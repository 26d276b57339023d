const creation = /^create table (\w+) \(/;
const addition = /^alter table (\w+) add column ([^;]+)$/;

/** Where the columns of a table end: what stands behind them is about the table as a whole. */
const afterColumns = /(?:, primary key \([^()]*\))?\) strict(?:, without rowid)?$/;

/**
 * The same statements for a database that holds nothing yet: a column that a later one adds stands in its table from the
 * start. SQLite reads its whole schema again for each that is added, which takes half of the time of a new database.
 *
 * Columns keep their order. One of a table that is not written as ours are is added as it was.
 */
export function foldColumns(statements: readonly string[]): readonly string[] {
  const folded: string[] = [];
  const places = new Map<string, number>();
  for (const sql of statements) {
    const [, created] = creation.exec(sql) ?? [];
    if (created !== undefined) places.set(created, folded.length);
    const [, table = '', column = ''] = addition.exec(sql) ?? [];
    const place = places.get(table) ?? -1;
    const ending = afterColumns.exec(folded[place] ?? '');
    if (ending) folded[place] = `${folded[place]?.slice(0, ending.index)}, ${column}${ending[0]}`;
    else folded.push(sql);
  }
  return folded;
}
