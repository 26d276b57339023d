import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type DatabaseOptions, openDatabase, type SqlDatabase } from '../src/index.ts';

/** A folder that is gone after the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A database that is closed after the test: in memory, or the file of that name in a folder of the test. */
export async function testDatabase(url = ':memory:', options: DatabaseOptions = {}): Promise<SqlDatabase> {
  const database = await openDatabase(url, options);
  onTestFinished(() => database.close());
  return database;
}

/** A database in a new file, closed and gone after the test. */
export function fileDatabase(options: DatabaseOptions = {}): Promise<SqlDatabase> {
  return testDatabase(`sqlite://${join(testFolder(), 'test.db')}`, options);
}
