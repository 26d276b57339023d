/**
 * Every call of a start fails once: each open, read, write and sync of the database file. The server says why it does not
 * start, or starts; the next one does, and nothing that was stored is lost. `STARTS_EACH=5` takes every fifth.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failingFiles, kinds } from '../test/faults/failing-files.ts';
import { promisedMs, startDesk, startServer } from '../test/outages/outage-server.ts';
import { temporaryFolder } from '../test/started-desk.ts';

const each = Number(process.env['STARTS_EACH'] ?? 1);
const hangsMs = 30_000;

/** One start of which the nth call fails. @returns what was wrong with it, or that there was no such call */
async function startWith(
  kind: keyof typeof kinds,
  nth: number,
  before: boolean,
): Promise<string | undefined> {
  const folder = temporaryFolder(onTestFinished);
  const files = failingFiles(folder, 'desk.db');
  if (!files) throw new Error('this drill needs Linux and a C compiler');
  const file = join(folder, 'desk.db');
  if (before) {
    const server = await startServer(file);
    await server.note('before');
    // What is left of it has to be put back into the file first.
    server.program.child.kill('SIGKILL');
    await server.program.ended();
  }
  files.fail({ kinds: kinds[kind], error: 'EIO', nth });
  const program = startDesk(file, files.env);
  const listens = program.saying(/http:\/\/127\.0\.0\.1:\d+/).then(
    () => 'listens',
    () => 'ends',
  );
  const how = await Promise.race([listens, sleep(hangsMs, 'hangs')]);
  const { failed } = files.read();
  files.mend();
  if (how === 'listens') program.child.kill('SIGTERM');
  const code = await Promise.race([program.ended(), sleep(hangsMs, 'hangs')]);
  const said = (program.stderr() + program.stdout()).trim();
  files.close();
  if (failed === 0) return 'no such call';
  if (how === 'hangs' || code === 'hangs') return `${how}, and then ${code}`;
  if (how === 'ends' && (code === 0 || said === '')) return `ends with ${code}, saying: ${said}`;

  const next = await startServer(file);
  if ((await next.note('after')).status !== 201) return 'nothing can be stored afterwards';
  await next.tells([], 3 * promisedMs);
  await next.stop();
  const database = new DatabaseSync(file, { readOnly: true });
  const notes = database.prepare('select text from notes order by id').all();
  const whole = database.prepare('pragma integrity_check').all();
  database.close();
  const wanted = [...(before ? ['before'] : []), 'after'].map((text) => ({ text }));
  const isWhole = JSON.stringify([notes, whole]) === JSON.stringify([wanted, [{ integrity_check: 'ok' }]]);
  return isWhole ? undefined : `it holds ${JSON.stringify(notes)}, ${JSON.stringify(whole)}`;
}

describe.each([
  ['a new file', false],
  ['a file whose server was killed', true],
] as const)('the nth call of a start over %s fails', (_, before) => {
  it.each(Object.keys(kinds) as (keyof typeof kinds)[])('for every n: %s', async (kind) => {
    const wrong: string[] = [];
    let nth = 1;
    let [isOver, failed] = [false, 0];
    const work = async (): Promise<void> => {
      while (!isOver) {
        const mine = nth;
        nth += each;
        const found = await startWith(kind, mine, before);
        if (found === 'no such call') isOver = true;
        else failed++;
        if (found !== undefined && found !== 'no such call') wrong.push(`${kind} ${mine}: ${found}`);
      }
    };
    await Promise.all([work(), work(), work()]);
    process.stdout.write(`${kind}: ${failed} starts had their failure, ${wrong.length} wrong\n`);
    for (const one of wrong) process.stdout.write(`${one}\n`);
    expect(wrong).toEqual([]);
  });
});
