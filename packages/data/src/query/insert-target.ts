import { type SqlText, withoutComments, wordsOutside } from '../database/sql-text.ts';

/** The table that a statement inserts into; undefined where there is none, or it is not of the database itself. */
export function insertTarget({ sql, verb }: SqlText): string | undefined {
  if (verb !== 'INSERT' && verb !== 'REPLACE') return undefined;
  const bare = withoutComments(sql);
  const into = wordsOutside(bare).find(({ word }) => word === 'INTO');
  const [, first, second] = qualified.exec(into ? bare.slice(into.end) : '') ?? [];
  if (first === undefined) return undefined;
  if (second === undefined) return unquoted(first);
  return unquoted(first).toLowerCase() === 'main' ? unquoted(second) : undefined;
}

const name = /("(?:[^"]|"")*"|`(?:[^`]|``)*`|'(?:[^']|'')*'|\[[^\]]*\]|[^\s.(;"'`[\]]+)/.source;
const qualified = new RegExp(`^\\s*${name}(?:\\s*\\.\\s*${name})?`);

function unquoted(written: string): string {
  const [sign = ''] = written;
  if (sign === '[') return written.slice(1, -1);
  return /["'`]/.test(sign) ? written.slice(1, -1).replaceAll(sign + sign, sign) : written;
}
