/** What a statement does. `control` is what would disturb the module's own work: transactions, PRAGMA, ATTACH, EXPLAIN. */
export type SqlKind = 'read' | 'write' | 'schema' | 'control';

/** One SQL statement, read far enough to know where it must run and what it takes. */
export interface SqlText {
  /** As it is run. */
  readonly sql: string;
  readonly kind: SqlKind;
  /** The word that says so, in upper case: `SELECT`, also behind `WITH`. */
  readonly verb: string;
  /** For each position to bind, the name that stands there (`:name`, `@name`, `$name` without the sign); undefined for `?`. */
  readonly parameters: readonly (string | undefined)[];
  /**
   * The same as a driver wants it, with sign (`:name`, `?3`), and undefined where nothing stands; none where all of them are a
   * mere `?`. Beside a `?3` each `?` is written with its number: drivers do not agree on which of them such a one is.
   */
  readonly names?: readonly (string | undefined)[];
}

/** SQL that this module does not run; the message is for the one who wrote it. */
export class SqlTextError extends Error {
  override readonly name = 'SqlTextError';
}

// Comments and quoted text are matched first, so that nothing inside them counts.
const tokens =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|\?(\d*)|[:@$]([\p{L}\p{N}_$]+)|([\p{L}_][\p{L}\p{N}_$]*)|[();]/gu;

/**
 * Reads one statement: its kind, and its parameters in the order SQLite numbers them.
 *
 * SQLite runs only the first of several statements, binds NULL to parameters that are missing and ignores surplus
 * ones, all without a word. So statements are counted here, and `bindAll` counts parameters.
 *
 * @throws {SqlTextError} empty, more than one statement, or parameters of both kinds
 */
export function parseSql(sql: string): SqlText {
  const parameters: (string | undefined)[] = [];
  const names: (string | undefined)[] = [];
  const marks: Mark[] = [];
  const words: string[] = [];
  let verb = '';
  let depth = 0;
  let ended = false;
  for (const { 0: token, 1: number, 2: name, 3: word, index } of sql.matchAll(tokens)) {
    if (token.startsWith('--') || token.startsWith('/*')) continue;
    if (token === ';') {
      ended = words.length > 0 && !isTrigger(words);
      continue;
    }
    if (ended) throw new SqlTextError('holds more than one statement; only the first would run');
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (number !== undefined) {
      marks.push({ start: index, end: index + token.length, position: addPosition(parameters, number) });
    } else if (name !== undefined) {
      const position = addName(parameters, name);
      names[position] ??= token;
      if (names[position] !== token) throw new SqlTextError(`names "${name}" with two signs`);
    } else if (word !== undefined && depth === 0) {
      const upper = word.toUpperCase();
      if (words.length < 4) words.push(upper);
      if (verb === '' || (verb === 'WITH' && kinds.has(upper))) verb = upper;
    }
  }
  if (verb === '') throw new SqlTextError('holds no statement');
  if (new Set(parameters.map((name) => name === undefined)).size > 1)
    throw new SqlTextError('mixes ? and named parameters');
  const kind = kinds.get(verb) ?? 'control';
  if (names.length > 0) return { sql, kind, verb, parameters, names };
  if (marks.every(({ start, end }) => end - start === 1)) return { sql, kind, verb, parameters };
  for (const { position } of marks) names[position - 1] = `?${position}`;
  return { sql: withNumbers(sql, marks), kind, verb, parameters, names };
}

/** The same statement, a space for each comment. */
export function withoutComments(sql: string): string {
  return sql.replace(tokens, (token) => (token.startsWith('--') || token.startsWith('/*') ? ' ' : token));
}

/** The words outside of brackets and quotes, in upper case, and where each ends. */
export function wordsOutside(sql: string): readonly { readonly word: string; readonly end: number }[] {
  const found: { readonly word: string; readonly end: number }[] = [];
  let depth = 0;
  for (const { 0: token, 3: word, index } of sql.matchAll(tokens)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (word !== undefined && depth === 0)
      found.push({ word: word.toUpperCase(), end: index + token.length });
  }
  return found;
}

/** Where a `?` or `?3` stands, and which position it is. */
interface Mark {
  readonly start: number;
  readonly end: number;
  readonly position: number;
}

function withNumbers(sql: string, marks: readonly Mark[]): string {
  const pieces = marks.map(
    ({ start, position }, i) => `${sql.slice(marks[i - 1]?.end ?? 0, start)}?${position}`,
  );
  return pieces.join('') + sql.slice(marks.at(-1)?.end);
}

const kinds: ReadonlyMap<string, SqlKind> = new Map([
  ['SELECT', 'read'],
  ['VALUES', 'read'],
  ['INSERT', 'write'],
  ['REPLACE', 'write'],
  ['UPDATE', 'write'],
  ['DELETE', 'write'],
  ['CREATE', 'schema'],
  ['ALTER', 'schema'],
  ['DROP', 'schema'],
  ['REINDEX', 'schema'],
  ['ANALYZE', 'schema'],
]);

/** `?` is one more than the greatest position so far, `?3` is the third. */
function addPosition(parameters: (string | undefined)[], number: string): number {
  const position = number === '' ? parameters.length + 1 : Number(number);
  if (position < 1 || position > 32_766) throw new SqlTextError(`has no position ?${number}`);
  while (parameters.length < position) parameters.push(undefined);
  return position;
}

/** A name takes the next position where it stands first. */
function addName(parameters: (string | undefined)[], name: string): number {
  const place = parameters.indexOf(name);
  return place < 0 ? parameters.push(name) - 1 : place;
}

/** The statements in the body of a trigger end with semicolons of their own. */
function isTrigger([first, second, third]: readonly string[]): boolean {
  return first === 'CREATE' && (second === 'TRIGGER' || third === 'TRIGGER');
}
