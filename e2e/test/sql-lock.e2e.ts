import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, type TestContext } from 'vitest';
import { startProgram } from './program.ts';
import { deskKeys, tickMs } from './sql-desk.ts';
import { clientOf, type ToolAnswer } from './sql-served.ts';
import { type StartedDesk, startDesk, temporaryFolder } from './started-desk.ts';

const ann = deskKeys.ANN_KEY;
const heldMs = 10_000;
/** A process that waits for the lock stands still for 5 s; a machine with other work to do for less than this. */
const promptMs = 4_500;

/** A desk in a process of its own, with two rows, until the test is over. */
async function desk(
  { onTestFinished }: TestContext,
  env: (file: string) => Readonly<Record<string, string>> = () => ({}),
) {
  const file = join(temporaryFolder(onTestFinished), 'app.db');
  const started = await startDesk(file, env(file));
  onTestFinished(() => void started.program.child.kill('SIGKILL'));
  const { send } = clientOf(started.url);
  await send('POST', '/tickets', { body: { title: 'first' } });
  await send('POST', '/notes/remember', { body: { key: 'first', value: 'apple' }, caller: ann });
  return { file, started, ...clientOf(started.url) };
}

/** Another program takes the lock. @returns once it has it; `released` once it let go */
async function lock(
  { onTestFinished }: TestContext,
  file: string,
  mode: string,
): Promise<{ readonly released: Promise<unknown> }> {
  const holder = startProgram('e2e/test/programs/hold-lock.ts', {
    cwd: join(file, '..'),
    argv: [file, mode, String(heldMs)],
  });
  onTestFinished(() => void holder.child.kill('SIGKILL'));
  await holder.saying(/^locked$/m);
  const released = holder.saying(/^released$/m);
  // A test that does not wait for it ends the holder.
  released.catch(() => {});
  return { released };
}

/** Watches the ticks of the desk's socket until it is told to stop. @returns the longest pause between two of them */
async function watchTicks({
  port,
}: StartedDesk): Promise<() => { readonly ticks: number; readonly pauseMs: number }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ticks`);
  let [ticks, pauseMs, lastMs] = [0, 0, Number.NaN];
  const look = (): void => {
    const nowMs = performance.now();
    if (ticks > 0) pauseMs = Math.max(pauseMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  await new Promise((resolve, reject) => {
    socket.addEventListener('error', reject);
    socket.addEventListener('message', () => {
      look();
      ticks++;
      resolve(undefined);
    });
  });
  return () => {
    // A socket that has gone silent counts until now.
    look();
    socket.close();
    return { ticks, pauseMs };
  };
}

/** Asks again and again until it is told to stop. @returns what came back, and how long the slowest took */
function keepAsking(ask: () => Promise<unknown>) {
  let [asked, slowestMs, stopping] = [0, 0, false];
  const answers = new Set<string>();
  const asking = (async () => {
    while (!stopping) {
      const startedMs = performance.now();
      answers.add(JSON.stringify(await ask()));
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      asked++;
      await after(50);
    }
  })();
  // A test that fails before does not wait for it.
  asking.catch(() => {});
  return async () => {
    stopping = true;
    await asking;
    return { asked, slowestMs, answers: [...answers] };
  };
}

/** One write: what came of it, after how long. */
interface Written {
  readonly what: string;
  readonly startedMs: number;
  readonly tookMs: number;
  readonly outcome: number | string;
  readonly retryAfter: string | null;
}

const modes = ['IMMEDIATE', 'EXCLUSIVE'];

// Side by side: both wait.
describe.concurrent.each(modes)('while another program holds the lock (%s) for 10 s', (mode) => {
  it('health, sockets and reads go on; writes wait, or are 503 after 5 s; then all is well', async (test) => {
    const { expect } = test;
    verifies('sql.busy.serves', 'sql.busy.retry');
    const { file, started, send, call } = await desk(test);
    const ticks = await watchTicks(started);
    const { released } = await lock(test, file, mode);
    const lockedMs = performance.now();

    const status = (path: string) => async () => (await send('GET', path, { caller: ann })).status;
    const health = keepAsking(status('/_svc/health'));
    const reads = keepAsking(status('/tickets?sort=-id&limit=5'));
    const query = keepAsking(status('/titles/first'));
    const recall = keepAsking(status('/notes/recall/first'));
    const search = keepAsking(status('/notes/search?query=apple'));

    let n = 0;
    const byHttp =
      (method: string, path: string, body: () => unknown, headers = {}) =>
      async () => {
        const answer = await send(method, path, { body: body(), headers, caller: ann });
        return { outcome: answer.status, retryAfter: answer.headers.get('retry-after') };
      };
    const writers: Readonly<Record<string, () => Promise<Pick<Written, 'outcome' | 'retryAfter'>>>> = {
      create: byHttp('POST', '/tickets', () => ({ title: `during-${++n}` })),
      update: byHttp('PATCH', '/tickets/1', () => ({ rank: ++n })),
      conditional: byHttp('PATCH', '/tickets/1', () => ({ rank: ++n }), { 'if-match': '*' }),
      query: byHttp('POST', '/rank', () => ({ title: 'first', rank: ++n })),
      remember: byHttp('POST', '/notes/remember', () => ({ key: 'k', value: `${++n}` })),
      tool: async () => toOutcome(await call('create_tickets', { title: `during-${++n}` }, ann)),
    };
    const writing: Promise<Written>[] = [];
    // From the beginning until shortly before the end: some must give up, some must get through.
    for (let second = 0; second < 9; second++) {
      for (const [what, write] of Object.entries(writers)) {
        const startedMs = performance.now();
        writing.push(
          write().then((outcome) => ({
            ...{ what, ...outcome, startedMs: startedMs - lockedMs },
            tookMs: performance.now() - startedMs,
          })),
        );
      }
      await after(Math.max(0, lockedMs + (second + 1) * 1_000 - performance.now()));
    }
    await released;
    const releasedMs = performance.now() - lockedMs;
    const written = await Promise.all(writing);

    for (const [what, stop] of Object.entries({ health, reads, query, recall, search })) {
      const { asked, slowestMs, answers } = await stop();
      expect({ what, answers }).toEqual({ what, answers: ['200'] });
      // All along, however slow the machine is.
      expect(asked).toBeGreaterThan(5);
      expect(slowestMs).toBeLessThan(promptMs);
    }
    const heard = ticks();
    expect(heard.pauseMs).toBeLessThan(promptMs);
    expect(heard.ticks).toBeGreaterThan(heldMs / tickMs / 2);

    for (const { what, startedMs, tookMs, outcome, retryAfter } of written) {
      const gaveUp = outcome === 503;
      expect([200, 201, 503], what).toContain(outcome);
      if (gaveUp) expect(tookMs, `${what} gave up after ${tookMs}`).toBeGreaterThan(4_900);
      expect(tookMs, `${what} took ${tookMs}`).toBeLessThan(5_000 + promptMs);
      if (gaveUp) expect(retryAfter, what).toBe('1');
      // Whoever came in the first half could not wait so long; whoever came in the last 4 s could.
      if (startedMs < heldMs - 5_500) expect({ what, startedMs, outcome }).toMatchObject({ outcome: 503 });
      if (startedMs > releasedMs - 4_000)
        expect({ what, startedMs, gaveUp }).toMatchObject({ gaveUp: false });
    }

    // Without a restart: the same process, at once.
    const startedMs = performance.now();
    expect((await send('POST', '/tickets', { body: { title: 'after' } })).status).toBe(201);
    expect(performance.now() - startedMs).toBeLessThan(promptMs);
    expect(started.program.child.exitCode).toBe(null);
    const created = written.filter(({ what, outcome }) => what === 'create' && outcome === 201).length;
    const byTool = written.filter(({ what, outcome }) => what === 'tool' && outcome === 200).length;
    const rows = (await send('GET', '/tickets?limit=200')).value as readonly { readonly title: string }[];
    expect(rows.filter(({ title }) => title.startsWith('during-'))).toHaveLength(created + byTool);
  });
});

describe('a process that waits for the lock with all of itself', () => {
  it('would be noticed: it neither ticks nor answers health for as long', async (test) => {
    const { file, started, send } = await desk(test, (path) => ({ CARELESS: path }));
    const ticks = await watchTicks(started);
    await lock(test, file, 'IMMEDIATE');
    const careless = send('POST', '/careless', { caller: ann });
    await after(100);
    const health = keepAsking(async () => (await send('GET', '/_svc/health', { caller: ann })).status);
    await careless;
    expect((await health()).slowestMs).toBeGreaterThan(promptMs);
    expect(ticks().pauseMs).toBeGreaterThan(promptMs);
  });
});

/** A tool that failed says its status in its text. */
function toOutcome({ isError, content }: ToolAnswer): Pick<Written, 'outcome' | 'retryAfter'> {
  const text = content[0]?.text ?? '';
  if (!isError) return { outcome: 200, retryAfter: null };
  return text === 'tool create_tickets failed with 503: the database is busy'
    ? { outcome: 503, retryAfter: '1' }
    : { outcome: text, retryAfter: null };
}
