import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type ServerProcess, startServerProcess } from '../lib/server-process.ts';
import { checkAnswers } from './check-answers.ts';
import { rowCount, ticketOf } from './tickets.ts';

/** One server that is compared; each has a copy of the same file. */
export interface ServerProgram {
  readonly name: string;
  readonly program: string;
  readonly args?: readonly string[];
}

/** Those that are compared. */
export const serverPrograms: readonly ServerProgram[] = [
  { name: 'waymark', program: 'servers/waymark.ts' },
  { name: 'fastify full', program: 'peers/better-sqlite3.mjs', args: ['full'] },
  { name: 'fastify bare', program: 'peers/better-sqlite3.mjs', args: ['bare'] },
  { name: 'express', program: 'peers/drizzle.mjs' },
];

/** Starts all of them, and makes sure that they give the same answers. Their files are in the folder. */
export async function startServers(folder: string): Promise<ReadonlyMap<string, ServerProcess>> {
  const first = join(folder, 'first.db');
  fillFile(first);
  const servers = new Map<string, ServerProcess>();
  for (const [i, { name, program, args = [] }] of serverPrograms.entries()) {
    const file = join(folder, `${i}.db`);
    await copyFile(first, file);
    const server = await startServerProcess(join(import.meta.dirname, program), [file, ...args]);
    servers.set(name, server);
    await checkAnswers(name, server.url);
  }
  return servers;
}

/** Makes the file that everybody begins with, in WAL mode. Nothing of the service is in it: earlier releases begin with it, too. */
export function fillFile(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`pragma journal_mode = wal; begin;
    create table tickets (id integer primary key autoincrement, title text not null, note text,
      priority integer not null, urgent integer not null) strict`);
  const insert = database.prepare(
    'insert into tickets (title, note, priority, urgent) values (:title, :note, :priority, :urgent)',
  );
  for (let id = 1; id <= rowCount; id++) insert.run(newOf(id));
  database.exec('commit');
  database.close();
}

function newOf(id: number): Record<string, SQLInputValue> {
  const { title, note, priority, urgent } = ticketOf(id);
  return { title, note, priority, urgent: Number(urgent) };
}
