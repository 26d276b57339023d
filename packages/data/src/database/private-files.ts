import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import type { Log } from '@waymark/contract/engine';
import { fileEnds } from './file-ends.ts';

/** Itself, and what is made with its mode beside it. */
const ends = ['', ...fileEnds];

const ofOthers = 0o077;
const groupWrites = 0o020;

/**
 * Makes a file that nobody but its owner may read or write, if there is none yet. SQLite would ask the umask, and gives what
 * it makes beside the file the same mode.
 */
export function makePrivate(path: string): void {
  try {
    // Made by us, so nobody has it open: closing it takes no lock from anybody.
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It is there, or cannot be made, which whoever opens it says.
  }
}

/**
 * Takes from everybody else what earlier releases let them do with the files of a database: those of our own. A file that
 * its group may write is shared with it on purpose, and keeps its group.
 */
export function keepPrivate(path: string, log: Log): void {
  // Elsewhere a mode is no matter of owner and others.
  const user = process.getuid?.();
  if (user === undefined) return;
  for (const end of ends) {
    const stats = statSync(path + end, { throwIfNoEntry: false });
    const mode = (stats?.mode ?? 0) & 0o777;
    const wanted = mode & groupWrites ? mode & ~0o007 : mode & ~ofOthers;
    if (!stats || mode === wanted) continue;
    const fields = { file: `database${end}`, mode: toText(mode) };
    if (stats.uid !== user) log('warn', 'others may read a file of the database', fields);
    else tighten(path + end, wanted, fields, log);
  }
}

function tighten(path: string, wanted: number, fields: { readonly mode: string }, log: Log): void {
  try {
    chmodSync(path, wanted);
    log('info', 'others may no longer read a file of the database', { ...fields, now: toText(wanted) });
  } catch {
    // Some file systems have no modes.
    log('warn', 'others may read a file of the database', fields);
  }
}

function toText(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
