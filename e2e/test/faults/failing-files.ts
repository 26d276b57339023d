import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { compileLibrary } from './compile-library.ts';

/** What of a file may fail. */
export const kinds = { write: 1, sync: 2, read: 4, open: 8 } as const;

/** Errors of the system, by their numbers on Linux. */
export const errors = { EIO: 5, ENOSPC: 28 } as const;

/** Which calls fail. */
export interface Failure {
  readonly kinds: number;
  readonly error: keyof typeof errors;
  /** Of the calls of these kinds from now on, the first that fails, from 1. */
  readonly nth: number;
  /** How many fail one after another; 1 by default. */
  readonly times?: number;
}

/** The files of a program, whose calls are counted and fail when they are told to. */
export interface FailingFiles {
  /** Variables for the program. */
  readonly env: Readonly<Record<string, string>>;
  fail(failure: Failure): void;
  /** Nothing fails any more. */
  mend(): void;
  /** Counts calls of these kinds, from 0 on. */
  count(kinds: number): void;
  /** Calls since then, and how many of them failed. */
  read(): { readonly calls: number; readonly failed: number };
  close(): void;
}

/** Offsets in the control file, which `fail-calls.c` has in memory. */
const at = { count: 0, from: 8, until: 16, error: 24, kinds: 32, failed: 40 } as const;

const forever = 2n ** 62n;

/** Makes them for paths that hold `match`; undefined where there is no compiler or the system is not Linux. */
export function failingFiles(folder: string, match: string): FailingFiles | undefined {
  const library = compileLibrary(folder, 'fail-calls.c');
  if (library === undefined) return undefined;
  const control = join(folder, 'faults');
  writeFileSync(control, Buffer.alloc(48));
  const file = openSync(control, 'r+');
  const set = (member: keyof typeof at, value: number | bigint): void => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    writeSync(file, bytes, 0, 8, at[member]);
  };
  const get = (member: keyof typeof at): number => {
    const bytes = Buffer.alloc(8);
    readSync(file, bytes, 0, 8, at[member]);
    return Number(bytes.readBigInt64LE());
  };
  const count = (of: number): void => {
    set('from', 0);
    set('kinds', of);
    set('count', 0);
    set('failed', 0);
  };
  return {
    env: { LD_PRELOAD: library, FAULTS_MATCH: match, FAULTS_CONTROL: control },
    count,
    fail({ kinds: of, error, nth, times = 1 }) {
      count(of);
      set('error', errors[error]);
      set('until', times === Number.POSITIVE_INFINITY ? forever : nth + times - 1);
      set('from', nth);
    },
    mend: () => set('from', 0),
    read: () => ({ calls: get('count'), failed: get('failed') }),
    close: () => closeSync(file),
  };
}
