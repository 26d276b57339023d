import { DatabaseSync } from 'node:sqlite';
import { defineRoute, type Route, Type } from '@waymark/contract';

/**
 * What the desk must never be like, so that whoever looks for it can show that it would be found. `POST /careless` waits
 * for a lock as SQLite does by itself, with the whole process; the routes under `/vulnerable` write what they are given
 * into their SQL: a value from query, path, body or a tool's arguments, and the name of a column.
 */
export function carelessRoutes(file: string): readonly Route[] {
  // Rows of their own: a second SQLite in one process takes the locks of the first away.
  const rows = new DatabaseSync(':memory:');
  rows.exec(`create table tickets (id integer primary key, title text);
    insert into tickets (title) values ('first'), ('second'), ('third')`);
  const read = (sql: string) => rows.prepare(`select id, title from tickets ${sql}`).all();
  const byTitle = ({ title }: { readonly title: string }) => read(`where title = '${title}'`);
  const input = { title: Type.String() };
  return [
    defineRoute('POST', '/careless', {}, () => {
      const connection = new DatabaseSync(file, { timeout: 5_000 });
      connection.exec("insert into tickets (title) values ('careless')");
      connection.close();
      return 'written';
    }),
    defineRoute('GET', '/vulnerable', { input }, byTitle),
    defineRoute('GET', '/vulnerable/{title}', { input }, byTitle),
    defineRoute('POST', '/vulnerable', { input, tool: true, toolName: 'vulnerable' }, byTitle),
    defineRoute('GET', '/vulnerable-order', { input: { sort: Type.String() } }, ({ sort }) =>
      read(`order by ${sort}`),
    ),
  ];
}
