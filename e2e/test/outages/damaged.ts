import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../started-desk.ts';
import { promisedMs, startDesk, startServer } from './outage-server.ts';

const mebibyte = 1024 * 1024;

/** A database of an earlier start with so many bytes of rows, and pages in the middle of them written over. */
async function damagedFile(bytes: number): Promise<string> {
  const file = join(temporaryFolder(onTestFinished), 'desk.db');
  const server = await startServer(file);
  expect((await server.note('before')).status).toBe(201);
  expect(await server.stop()).toBe(0);
  const database = new DatabaseSync(file);
  database.exec(`create table archive (id integer primary key, a text);
    with recursive c (n) as (select 1 union all select n + 1 from c where n < ${Math.ceil(bytes / 1_000)})
    insert into archive select n, hex(randomblob(500)) from c`);
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(8 * 4096, 0xa5), 0, undefined, Math.floor(bytes / 2 / 4096) * 4096);
  closeSync(descriptor);
  return file;
}

/** A damaged file that is looked through before it is opened keeps the server from starting. */
export async function playSmallDamaged(): Promise<void> {
  const file = await damagedFile(4 * mebibyte);
  const program = startDesk(file);
  expect(await program.ended()).toBe(78);
  expect(program.stderr() + program.stdout()).toContain('the file is damaged');
}

/** A large one is opened, and the server tells of it; what is whole is served. */
export async function playLargeDamaged(bytes = 64 * mebibyte): Promise<void> {
  const file = await damagedFile(bytes);
  expect(statSync(file).size).toBeGreaterThan(32 * mebibyte);
  const server = await startServer(file);
  // Reading takes its time.
  await server.tells(['database-damaged'], promisedMs + bytes / 50_000);
  expect((await server.send('GET', '/notes')).status).toBe(200);
  expect((await server.note('after')).status).toBe(201);
  // It does not pass.
  await server.tells(['database-damaged']);
  expect(await server.stop()).toBe(0);
}
