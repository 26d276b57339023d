/** A started server over a file that is larger than what the database keeps in memory, and of which a read fails. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { failingFiles, kinds } from './faults/failing-files.ts';
import { startServer } from './outages/outage-server.ts';
import { temporaryFolder } from './started-desk.ts';

/** 8 MB of rows, of which nobody has a place in memory: each read finds a page of others in the buffer that it is given. */
const rows = 20_000;
const text = 'x'.repeat(400);

/** Those that have the text of their row. */
const idsOf = (value: unknown): readonly number[] =>
  (value as { id: number; text: string }[]).filter((row) => row.text === row.id + text).map(({ id }) => id);

it('a row whose page cannot be read is told as such, and nobody is given another one', async ({ skip }) => {
  verifies('state.faults', 'sql.troubles');
  const folder = temporaryFolder(onTestFinished);
  const files = failingFiles(folder, 'desk.db');
  if (!files) {
    console.warn('skipped: calls cannot be made to fail without Linux and a C compiler');
    return skip();
  }
  onTestFinished(() => files.close());
  const file = join(folder, 'desk.db');
  const first = await startServer(file);
  expect(await first.stop()).toBe(0);
  const database = new DatabaseSync(file);
  database.exec(`with recursive c (n) as (select 1 union all select n + 1 from c where n < ${rows})
    insert into notes (id, text) select n, n || '${text}' from c`);
  database.close();
  const { send, tells } = await startServer(file, files.env);
  const wanted = (nth: number) => Array.from({ length: 200 }, (_, i) => rows - 200 - nth + i + 1);
  // Rows from all over the file, so that nothing of it stays in memory for the next time.
  const scan = (nth: number) => send('GET', `/notes?limit=200&offset=${rows - 200 - nth}`);
  expect((await scan(0)).status).toBe(200);
  const statuses: number[] = [];
  for (const nth of [1, 50, 500, 900, 1_300]) {
    files.fail({ kinds: kinds.read, error: 'EIO', nth });
    const { status, value } = await scan(nth);
    files.mend();
    statuses.push(status);
    // A read of somebody else's may be the one that fails.
    if (status === 200) expect(idsOf(value)).toEqual(wanted(nth));
    expect([200, 503]).toContain(status);
    expect(idsOf((await scan(nth)).value)).toEqual(wanted(nth));
  }
  expect(statuses).toContain(503);
  await tells([], 15_000);
}, 60_000);
