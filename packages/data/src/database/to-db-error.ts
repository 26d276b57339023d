import { HTTPError } from '@waymark/contract';
import type { LastingOutage } from '@waymark/contract/engine';
import { BindError } from './bind.ts';
import { isFailedRead, type SqlFault, toSqlFault } from './sql-fault.ts';
import { UnkeptNumberError } from './sql-result.ts';

/**
 * What went wrong in a database, as its caller may read it: 409 a constraint, 422 other bad values, 503 busy, full or
 * out of reach, 502 it refuses our token. Neither message nor cause hold SQL, paths, values or what a driver said.
 *
 * What is no caller's business (a missing table, values that do not fit the statement) comes back as an error that is
 * answered `internal error`. Errors that are not about the database come back as they are.
 */
export function toDbError(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof HTTPError || cause instanceof BindError || cause instanceof UnkeptNumberError)
      return cause;
  const fault = toSqlFault(error);
  return fault ? toAnswer(fault) : error;
}

/** Seconds after which a caller may come again. */
export const retryAfter: Readonly<Record<string, string>> = { 'retry-after': '1' };

/** The code of a 503: of what passes only when somebody helps, or of a server that is away for a while. */
type OutageCode = LastingOutage | 'database_unreachable';

/**
 * The answer while a database cannot be written: `why` reads on from `the database`.
 */
export function unavailable(why: string, cause?: unknown, code?: OutageCode): HTTPError {
  return new HTTPError(503, `the database ${why}`, {
    headers: retryAfter,
    ...(cause ? { cause } : {}),
    ...(code && { code }),
  });
}

function toAnswer(fault: SqlFault): Error {
  const { code } = fault;
  if (code in badValues) return new HTTPError(422, badValues[code] ?? '', { cause: fault });
  if (code.startsWith('SQLITE_CONSTRAINT'))
    return new HTTPError(409, conflicts[code.slice('SQLITE_CONSTRAINT_'.length)] ?? otherConflict, {
      cause: fault,
    });
  if (code === 'INFINITE') return new UnkeptNumberError(undefined, 'infinite');
  const base = code.split('_', 2).join('_');
  if (isFailedRead(code)) return unavailable('cannot be read', fault, 'disk_failing');
  if (base in outages) return unavailable(outages[base] ?? '', fault, lasting[base]);
  return code === 'UNAUTHORIZED'
    ? new HTTPError(502, 'the database refuses access', { cause: fault })
    : fault;
}

const otherConflict = 'a rule of the table does not allow this';

const conflicts: Readonly<Record<string, string>> = {
  UNIQUE: 'a row with these values exists already',
  PRIMARYKEY: 'a row with this key exists already',
  ROWID: 'a row with this key exists already',
  FOREIGNKEY: 'a row that this refers to does not exist, or this row is still referred to',
  NOTNULL: 'a required value is missing',
  CHECK: 'a value is outside what the table allows',
};

const badValues: Readonly<Record<string, string>> = {
  SQLITE_CONSTRAINT_DATATYPE: 'a value has the wrong type',
  SQLITE_MISMATCH: 'a value has the wrong type',
  SQLITE_ERROR_VALUE: 'a value cannot be used here',
  SQLITE_TOOBIG: 'a value is too large',
};

const outages: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'is busy',
  SQLITE_LOCKED: 'is busy',
  SQLITE_FULL: 'is full',
  SQLITE_IOERR: 'cannot be written or read',
  SQLITE_CANTOPEN: 'cannot be opened',
  SQLITE_NOMEM: 'is out of memory',
  DESCRIPTORS: 'cannot be opened',
  ENDED: 'has ended this transaction',
  THREAD_ENDED: 'could not finish what it was asked',
  UNREACHABLE: 'cannot be reached',
};

const lasting: Readonly<Record<string, OutageCode>> = {
  UNREACHABLE: 'database_unreachable',
  SQLITE_FULL: 'disk_full',
  SQLITE_IOERR: 'disk_failing',
};
