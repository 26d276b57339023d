/**
 * A handler of a started server leaves a failure behind that nobody handles, of every kind: what is under way is answered or
 * goes on after a restart, the log tells whose it was, and the process ends in time.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { logLines } from '../test/log-lines.ts';
import { type Program, startProgram } from '../test/program.ts';
import { clientOf } from '../test/sql-served.ts';
import { temporaryFolder } from '../test/started-desk.ts';

const key = 'desk-secret-of-more-than-16-bytes';
const application = join(import.meta.dirname, '../test/programs/stray-desk.ts');

/** As many as `stray-desk.ts` has: it cannot be loaded here. */
const kinds = [
  ...['rejection', 'rejection-of-nothing', 'rejection-later', 'aggregate', 'thenable', 'timer', 'interval'],
  ...['immediate', 'tick', 'microtask', 'null', 'undefined', 'text', 'symbol', 'frozen', 'circular'],
  ...['hostile', 'untellable', 'large', 'abort', 'overflow', 'event', 'stream', 'listener', 'port', 'worker'],
  ...['child-process', 'socket', 'callback'],
];

/** Ten seconds to drain, one for the rest, and one of a busy machine. */
const endsWithinMs = 12_000;

async function startDesk(file: string) {
  const program = startProgram('apps/server/bin/waymark.js', {
    cwd: join(file, '..'),
    env: { DESK_KEY: key, DATABASE: file, LOG_LEVEL: 'info' },
    argv: ['start', application, '--port', '0'],
  });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  const [url = ''] = await program.saying(/http:\/\/127\.0\.0\.1:\d+/);
  const { send } = clientOf(url);
  return {
    program,
    send: (method: string, path: string, body?: unknown) =>
      send(method, path, {
        ...{ caller: key, headers: { 'x-request-id': 'the-careless-one' } },
        ...(body !== undefined && { body }),
      }),
  };
}

const fatal = (program: Program) => logLines(program).filter(({ level }) => level === 'fatal');

it.each(kinds)('%s: is logged with its route, and nothing under way is lost', async (kind) => {
  const file = join(temporaryFolder(onTestFinished), 'desk.db');
  const { program, send } = await startDesk(file);
  const errand = send('POST', '/behaviours/errand', { text: kind });
  const slow = send('GET', '/wait?ms=700');
  await expect
    .poll(async () => (await send('GET', '/_svc/runs?status=running')).value)
    .toMatchObject({ runs: [{}] });
  const startMs = performance.now();
  expect(await send('POST', `/strays/${kind}`)).toMatchObject({ status: 200, value: kind });
  expect(await slow).toMatchObject({ status: 200, value: 'waited' });
  const answer = await errand;
  expect(await program.ended()).toBe(1);
  expect(performance.now() - startMs).toBeLessThan(endsWithinMs);
  const [first] = fatal(program);
  expect(first).toMatchObject({ msg: 'nobody handled a failure', request_id: 'the-careless-one' });
  expect(String(first?.['route'])).toContain('strays');
  expect(program.stderr()).toBe('');

  const next = await startDesk(file);
  if (answer.status !== 200) expect(answer).toMatchObject({ status: 503 });
  await expect
    .poll(async () => (await next.send('GET', '/_svc/runs')).value)
    .toMatchObject({ runs: [{ status: 'completed' }] });
  next.program.child.kill('SIGTERM');
  expect(await next.program.ended()).toBe(0);
  const database = new DatabaseSync(file, { readOnly: true });
  expect(database.prepare('select text from notes').all()).toEqual([{ text: kind }]);
  database.close();
});
