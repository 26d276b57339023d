/** What a database said no with, without its message: that may hold values. */
export class SqlFault extends Error {
  override readonly name = 'SqlFault';
  /** SQLite's, extended where the driver knows it (`SQLITE_CONSTRAINT_UNIQUE`); `UNREACHABLE`, `UNAUTHORIZED` of a remote one; `DESCRIPTORS` when no more files can be opened. */
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
  readonly code?: unknown;
  readonly extendedCode?: unknown;
  readonly rawCode?: unknown;
}

/** What a driver threw, local or remote, as one kind of error; undefined when it is not about the database. */
export function toSqlFault(error: unknown): SqlFault | undefined {
  for (const cause of causes(error)) {
    if (cause instanceof SqlFault) return cause;
    const code = codeOf(cause);
    if (code !== undefined) return new SqlFault(code, constraintOf(cause.message));
  }
  return undefined;
}

/** SQLite's word for it; the text is all that a remote database gives of an extended code. */
function codeOf({ message, code, extendedCode, rawCode }: DriverError): string | undefined {
  const given = typeof extendedCode === 'string' ? extendedCode : code;
  if (valueTroubles.test(message)) return 'SQLITE_ERROR_VALUE';
  // The driver has no names for the newer extended codes; their lowest byte is the general one.
  const base = typeof rawCode === 'number' ? (newerCodes[rawCode] ?? baseCodes[rawCode & 0xff]) : undefined;
  const known = typeof given === 'string' && given.startsWith('SQLITE_') ? given : base;
  if (known !== undefined) return known === 'SQLITE_CONSTRAINT' ? known + constraintKind(message) : known;
  if (/\(os error 2[34]\)/.test(message)) return 'DESCRIPTORS';
  if (message.startsWith('ConnectionFailed')) return 'SQLITE_CANTOPEN';
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
  return outOfReach.test(given) ? 'UNREACHABLE' : undefined;
}

const valueTroubles = /malformed JSON|fts5: syntax error|integer overflow/;
const outOfReach = /^(fetch failed|HRANA_|ECONN|ETIMEDOUT|ENOTFOUND|EPIPE|EAI_|UND_ERR)/;

/** A read that the disk refused, as whoever prepares a statement is told. */
const newerCodes: Readonly<Record<number, string>> = { 8458: 'SQLITE_IOERR_CORRUPTFS' };

const baseCodes: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  26: 'SQLITE_NOTADB',
};

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
