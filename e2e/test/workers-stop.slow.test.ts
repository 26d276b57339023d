/** Processes of one server that are told to stop while they answer. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { openSocket } from './hub-socket.ts';
import { type Crew, keys, startCrew } from './workers/crew.ts';
import { crewOfAll } from './workers/crew-of-all.ts';

const paths = ['/held', '/held-here', '/lines'];

/** Calls of every kind that are open at three processes: none is answered before it is let go. */
async function openCalls(crew: Crew, gate: string) {
  // What is held stands there, and what lets it go.
  for (const name of readdirSync(gate)) rmSync(join(gate, name));
  const pids = await crew.pids(3);
  // Connections go around, so that each process has one of each kind, and calls of the owner come by way of workers, too.
  const names = paths.flatMap((path) => [1, 2, 3].map((n) => [path, `${path.slice(1)}-${n}`] as const));
  const answers = Promise.all(
    names.map(async ([path, name]) => {
      const { status, text } = await crew.ask(`${path}?name=${name}`).catch((error: Error) => ({
        status: 0,
        text: error.message,
      }));
      return [name, status, text];
    }),
  );
  await expect.poll(() => readdirSync(gate).length).toBe(names.length);
  return {
    ...{ pids, answers },
    owner: await crew.ownerPid(),
    letGo: () => writeFileSync(join(gate, 'go'), ''),
    whole: names.map(([path, name]) => [name, 200, path === '/lines' ? 'first,last' : JSON.stringify(name)]),
  };
}

/** Asks both of workers and of the owner, all the while. @returns what was no success */
function askAlways(crew: Crew): { stop(): Promise<readonly unknown[]> } {
  let going = true;
  const wrong: unknown[] = [];
  const asking = ['/pid', '/owner-pid'].map(async (path) => {
    while (going) {
      const answer = await crew.ask(path).catch((error: Error) => ({ status: error.message }));
      if (answer.status !== 200) wrong.push([path, answer.status]);
    }
  });
  return {
    async stop() {
      going = false;
      await Promise.all(asking);
      return wrong;
    },
  };
}

/** Says so once the process is gone. */
function gone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

describe('processes that answer', () => {
  const gate = mkdtempSync(join(tmpdir(), 'waymark-gate-'));
  afterAll(() => rmSync(gate, { recursive: true, force: true }));
  const crewOf = crewOfAll({ WAYMARK_WORKERS: '3', GATE: gate });

  it.each(['owner', 'worker'] as const)(
    'one of them, told to stop, answers what is open, and nobody notices: the %s',
    async (role) => {
      verifies('scale.stop');
      const crew = crewOf();
      const { answers, letGo, whole, pids, owner } = await openCalls(crew, gate);
      const reader = await openSocket(crew.url, '/devices/door/stream', keys.DESK_KEY);
      const told = role === 'owner' ? owner : (pids.find((pid) => pid !== owner) ?? 0);
      const asked = askAlways(crew);
      process.kill(told, 'SIGTERM');
      await expect
        .poll(() => crew.program.stderr())
        .toContain(`(${role}) was told to stop; another one takes its place`);
      // Another one serves before it lets anything go.
      await expect.poll(async () => (await crew.pids(3)).filter((pid) => !pids.includes(pid)).length).toBe(1);
      letGo();
      expect(await answers).toEqual(whole);
      await expect.poll(() => gone(told)).toBe(true);
      expect(await asked.stop()).toEqual([]);
      // Sockets are the owner's, and go with it.
      if (role === 'owner') {
        expect((await reader.closed).code).toBe(1001);
        expect(await crew.ownerPid()).not.toBe(owner);
      } else {
        reader.close();
        expect((await reader.closed).code).not.toBe(1001);
      }
    },
  );

  it('that a handler left a failure behind costs nobody else an answer: another one takes its place', async () => {
    verifies('scale.failed');
    const crew = crewOf();
    const { answers, letGo, whole, pids } = await openCalls(crew, gate);
    const asked = askAlways(crew);
    const failed = Number((await crew.ask('/stray', { method: 'POST' })).text);
    await expect.poll(() => crew.program.stderr()).toContain('left a failure behind; another one takes its');
    await expect.poll(async () => (await crew.pids(3)).filter((pid) => !pids.includes(pid)).length).toBe(1);
    letGo();
    expect(await answers).toEqual(whole);
    await expect.poll(() => gone(failed)).toBe(true);
    expect(await asked.stop()).toEqual([]);
  });

  it('all of them, told to stop, answer what is open, calls and streams of the owner by way of workers too', async () => {
    verifies('scale.stop');
    const crew = crewOf();
    const { answers, letGo, whole, pids } = await openCalls(crew, gate);
    crew.program.child.kill('SIGTERM');
    // It is past the first steps of the drain.
    await expect
      .poll(() =>
        crew.ask('/pid').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .not.toBe(200);
    letGo();
    expect(await answers).toEqual(whole);
    expect(await crew.program.ended()).toBe(0);
    expect(pids.filter((pid) => !gone(pid))).toEqual([]);
  });
});

describe('the process that keeps them', () => {
  it('has one for each CPU where nobody says how many; killed: all end, and the next start finds everything', async () => {
    verifies('scale.workers.start', 'app.option.workers.default', 'scale.killed-supervisor');
    const crew = await startCrew({ WAYMARK_WORKERS: '' });
    const cpus = availableParallelism();
    expect(crew.report).toContain(cpus === 1 ? 'because there is 1 CPU' : `${cpus} processes`);
    const pids = await crew.pids(cpus);
    const title = { headers: { 'content-type': 'application/json' }, body: '{"title":"kept"}' };
    expect((await crew.desk('/tickets', { method: 'POST', ...title })).status).toBe(201);
    crew.program.child.kill('SIGKILL');
    await expect.poll(() => pids.every(gone), { timeout: 30_000 }).toBe(true);
    const next = await startCrew({ WAYMARK_WORKERS: '', DATABASE: crew.file });
    expect((await next.desk('/tickets')).text).toContain('kept');
  });
});
