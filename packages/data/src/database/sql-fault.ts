import { sqliteCode } from './sqlite-codes.ts';

/** What a database said no with, without its message: that may hold values. */
export class SqlFault extends Error {
  override readonly name = 'SqlFault';
  /**
   * SQLite's, extended where the driver knows it (`SQLITE_CONSTRAINT_UNIQUE`); `UNREACHABLE`, `UNAUTHORIZED` and `INFINITE` of a remote one;
   * `DESCRIPTORS` when no more files can be opened; `ENDED` of a transaction that is over;
   * `THREAD_ENDED` when the thread that writes is; `NODE_TOO_OLD`.
   */
  readonly code: string;
  /** The columns or the name of the constraint, as declared: `tickets.email`. */
  readonly constraint: string | undefined;

  constructor(code: string, constraint?: string) {
    super(constraint === undefined ? code : `${code} (${constraint})`);
    this.code = code;
    this.constraint = constraint;
  }
}

/**
 * Whether reading the file may have failed in passing. SQLite says of a read that the disk refuses (EIO) the same word as of
 * a damaged page, once it runs a statement; the longer words are about damage alone.
 */
export function isFailedRead(code: string): boolean {
  return /^SQLITE_(CORRUPT|IOERR_(READ|SHORT_READ|CORRUPTFS))$/.test(code);
}

/** An error of either driver; whatever else was thrown has none of these. */
interface DriverError extends Error {
  /** Of a local one, as SQLite numbers it. */
  readonly errcode?: unknown;
  readonly code?: unknown;
  readonly extendedCode?: unknown;
  readonly rawCode?: unknown;
}

/** What a driver threw, local or remote, as one kind of error; undefined when it is not about the database. */
export function toSqlFault(error: unknown): SqlFault | undefined {
  for (const cause of causes(error)) {
    if (cause instanceof SqlFault) return cause;
    const code = restricted(codeOf(cause), cause.message);
    if (code !== undefined) return new SqlFault(code, constraintOf(cause.message));
  }
  return undefined;
}

/** A row that is referred to with `on delete restrict`: SQLite keeps it by a trigger of its own, and its text alone says so. */
function restricted(code: string | undefined, message: string): string | undefined {
  const isKey = code === 'SQLITE_CONSTRAINT_TRIGGER' && message.endsWith('FOREIGN KEY constraint failed');
  return isKey ? 'SQLITE_CONSTRAINT_FOREIGNKEY' : code;
}

/** SQLite's word for it; the text is all that a remote database gives of an extended code. */
function codeOf({ message, code, errcode, extendedCode, rawCode }: DriverError): string | undefined {
  const given = typeof extendedCode === 'string' ? extendedCode : code;
  if (valueTroubles.test(message)) return 'SQLITE_ERROR_VALUE';
  if (typeof errcode === 'number') return sqliteCode(errcode);
  const numbered = typeof rawCode === 'number' ? sqliteCode(rawCode) : undefined;
  const known = typeof given === 'string' && given.startsWith('SQLITE_') ? given : numbered;
  if (known !== undefined) return known === 'SQLITE_CONSTRAINT' ? known + constraintKind(message) : known;
  return typeof given === 'string'
    ? remoteCode(given, message)
    : outOfReach.test(message)
      ? 'UNREACHABLE'
      : undefined;
}

function remoteCode(given: string, message: string): string | undefined {
  if (given === 'SERVER_ERROR') return /\b40[13]\b/.test(message) ? 'UNAUTHORIZED' : 'UNREACHABLE';
  if (given.startsWith('TRANSACTION_')) return 'SQLITE_BUSY';
  if (given.startsWith('SQL_')) return 'SQLITE_ERROR';
  // JSON has no infinite numbers: the server sends null, which its client takes for a broken answer.
  if (message.endsWith('Expected number, received null')) return 'INFINITE';
  if (given === 'RESPONSE_TOO_LARGE' || /string or blob too big/.test(message)) return 'SQLITE_TOOBIG';
  return outOfReach.test(given) ? 'UNREACHABLE' : undefined;
}

const valueTroubles = /malformed JSON|fts5: syntax error|integer overflow/;
const outOfReach = /^(fetch failed|HRANA_|ECONN|ETIMEDOUT|ENOTFOUND|EPIPE|EAI_|UND_ERR)/;

function constraintKind(message: string): string {
  const [, kind] = /(UNIQUE|NOT NULL|FOREIGN KEY|CHECK) constraint failed/.exec(message) ?? [];
  if (kind !== undefined) return `_${kind.replaceAll(' ', '')}`;
  return message.includes('cannot store') ? '_DATATYPE' : '';
}

/** Declared names only: what stands behind `constraint failed` is never a value. */
function constraintOf(message: string): string | undefined {
  return /(?:UNIQUE|NOT NULL|CHECK) constraint failed: ([^\n]{1,200})$/.exec(message)?.[1];
}

/** An error and what caused it, outermost first; drizzle wraps what a driver threw, with the values in its message. */
function causes(error: unknown): readonly Error[] {
  const found: Error[] = [];
  for (let cause = error; cause instanceof Error && found.length < 8; cause = cause.cause) found.push(cause);
  return found;
}
