/** Several processes of `waymark start` that are one server to whoever asks. */

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { createLink } from '@waymark/core-routes/forward';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from './feed-reader.ts';
import { openSocket } from './hub-socket.ts';
import { temporaryFolder } from './started-desk.ts';
import { type Answer, type Crew, keys, startCrew } from './workers/crew.ts';
import { crewOfAll } from './workers/crew-of-all.ts';
import { differing } from './workers/listings.ts';

const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
);
/** Too large to be sent from process to process. */
const large = Buffer.concat([jpeg, Buffer.alloc(60_000)]);

function frame(crew: Crew, bytes: Uint8Array): Promise<Answer> {
  return crew.desk('/devices/door/frames', {
    ...{ method: 'POST', body: bytes },
    headers: { 'content-type': 'image/jpeg', 'content-length': String(bytes.length) },
  });
}

describe('two processes', () => {
  const crewOf = crewOfAll({ WAYMARK_WORKERS: '2' });

  it('are as many as were asked for, and say so once', async () => {
    verifies('app.option.workers');
    const crew = crewOf();
    expect(crew.report).toContain('2 processes (handlers share no variables between them;');
    expect((await crew.pids(2)).length).toBe(2);
    expect(crew.program.stdout().match(/is ready in/g)).toHaveLength(1);
  });

  it('let nobody to the owner but their own, nor gain authority there', async () => {
    verifies('scale.door');
    const crew = crewOf();
    const owner = await crew.ownerPid();
    const folder = readdirSync(tmpdir())
      .filter((name) => name.startsWith('waymark-'))
      .map((name) => join(tmpdir(), name))
      .find((name) => existsSync(join(name, `owner-${owner}.sock`)));
    if (folder === undefined) throw new Error('no folder');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const socket = createConnection(join(folder, `owner-${owner}.sock`));
    const link = createLink<unknown, unknown>(socket);
    const heard: unknown[] = [];
    link.onMessage((message) => heard.push(message));
    const closed = new Promise<void>((resolve) => link.onClose(resolve));
    link.send({ id: 0, type: 'hello', secret: 'guessed', index: 1 });
    link.send({ id: 1, type: 'call', call: { route: 'get_secret' } });
    await closed;
    expect(heard).toEqual([]);
    // Whichever process is asked, scopes are those of the caller.
    for (let i = 0; i < 4; i++) {
      const headers = { 'x-api-key': keys.GUEST_KEY, 'x-waymark-scopes': 'svc:admin' };
      expect((await crew.ask('/secret', { headers })).status).toBe(403);
      expect((await crew.desk('/secret')).json).toMatchObject({ id: 'desk' });
    }
  });

  it('puts new processes in the place of all, and loses no request', async () => {
    verifies('scale.reload');
    const crew = crewOf();
    const before = await crew.pids(2);
    let going = true;
    const seen: (number | string)[] = [];
    const asking = Array.from({ length: 4 }, async (_, i) => {
      while (going) {
        const answer = i % 2 === 0 ? crew.ask('/owner-pid') : crew.ask('/pid');
        seen.push(
          await answer.then(
            ({ status }) => status,
            (error: Error) => error.message,
          ),
        );
      }
    });
    // On a connection that is kept all the while.
    const kept = (async () => {
      while (going) {
        seen.push((await fetch(`${crew.url}/pid`)).status);
        seen.push((await fetch(`${crew.url}/owner-pid`)).status);
      }
    })();
    crew.program.child.kill('SIGHUP');
    await expect.poll(() => crew.program.stderr(), { timeout: 100_000 }).toContain('reloaded');
    going = false;
    await Promise.all([...asking, kept]);
    expect(seen.filter((status) => status !== 200)).toEqual([]);
    expect((await crew.pids(2)).filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('leave one owner, and no more, where it is killed during a reload', async () => {
    verifies('scale.reload', 'scale.killed-owner');
    const crew = crewOf();
    const owner = await crew.ownerPid();
    const times = (word: string): number => crew.program.stderr().split(word).length - 1;
    const [begun, ended] = ['reloading', 'reloaded'].map(times) as [number, number];
    crew.program.child.kill('SIGHUP');
    await expect.poll(() => times('reloading')).toBe(begun + 1);
    process.kill(owner, 'SIGKILL');
    await expect.poll(() => times('reloaded'), { timeout: 60_000 }).toBe(ended + 1);
    const next = await crew.ownerPid();
    expect(next).not.toBe(owner);
    const { pid } = crew.program.child;
    const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    await expect.poll(() => children().length, { timeout: 30_000 }).toBe(2);
    for (let i = 0; i < 8; i++) expect(await crew.ownerPid()).toBe(next);
  });
});

describe('three processes', () => {
  const crewOf = crewOfAll({ WAYMARK_WORKERS: '3', LOG_LEVEL: 'info' });

  it('answer as one: pids differ, and nothing else does', async () => {
    verifies(
      'app.option.workers',
      'scale.stateless',
      'scale.owner',
      'scale.listings',
      'scale.calls',
      'scale.logs',
    );
    const crew = crewOf();
    const pids = await crew.pids(3);
    const owners = await Promise.all(Array.from({ length: 12 }, () => crew.ownerPid()));
    expect(new Set(owners).size).toBe(1);
    expect(pids).toContain(owners[0]);
    // Writes, frames and runs of any process are the owner's.
    const titles = Array.from({ length: 12 }, (_, i) => `ticket ${i}`);
    const made = await Promise.all(
      titles.map((title) =>
        crew.desk('/tickets', {
          ...{ method: 'POST', body: JSON.stringify({ title }) },
          headers: { 'content-type': 'application/json' },
        }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(titles.map(() => 201));
    const numbers: unknown[] = [];
    for (let i = 0; i < 12; i++)
      numbers.push(((await frame(crew, i % 2 === 0 ? jpeg : large)).json as { seq: number }).seq);
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    const run = await crew.desk('/behaviours/count', {
      ...{ method: 'POST', body: '{}' },
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
    });
    expect(run.status).toBe(200);
    const again = await crew.desk('/behaviours/count', {
      ...{ method: 'POST', body: '{}' },
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
    });
    expect((again.json as { run_id: string }).run_id).toBe((run.json as { run_id: string }).run_id);
    for (let i = 0; i < 9; i++) expect((await crew.desk('/fail', { method: 'POST' })).status).toBe(409);
    const tickets = await Promise.all(Array.from({ length: 12 }, () => crew.desk('/tickets')));
    expect(new Set(tickets.map(({ text }) => text)).size).toBe(1);
    // What any process is asked is in the one audit log, which is written in batches.
    await expect
      .poll(async () => (await crew.desk('/_svc/audit?limit=200')).text.split('list_tickets').length - 1)
      .toBe(12);
    expect(await differing(crew, 17)).toEqual([]);
    // Every answer is counted, whoever gave it.
    const { requests } = (await crew.desk('/_svc/overview')).json as { requests: { client_errors: number } };
    expect(requests.client_errors).toBe(9);
    const lines = crew.program
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(new Set(lines.map((line) => (JSON.parse(line) as { process: number }).process))).toEqual(
      new Set([0, 1, 2]),
    );
  });

  it('sign a browser out everywhere', async () => {
    verifies('scale.listings');
    const crew = crewOf();
    const origin = { origin: crew.url, 'sec-fetch-site': 'same-origin' };
    const opened = await crew.ask('/_svc/session', {
      ...{ method: 'POST', body: JSON.stringify({ credential: keys.DESK_KEY }) },
      headers: { 'content-type': 'application/json', ...origin },
    });
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    const statuses = async () => {
      const answers = Array.from({ length: 9 }, () =>
        crew.ask('/secret', { headers: { cookie, ...origin } }),
      );
      return new Set((await Promise.all(answers)).map(({ status }) => status));
    };
    expect(await statuses()).toEqual(new Set([200]));
    expect(
      (await crew.ask('/_svc/session', { method: 'DELETE', headers: { cookie, ...origin } })).status,
    ).toBe(204);
    expect(await statuses()).toEqual(new Set([401]));
  });

  it('is replaced at once, the owner too, and what was acknowledged is kept', async () => {
    verifies('scale.owner');
    const crew = crewOf();
    const first = await crew.pids(3);
    const owner = await crew.ownerPid();
    const worker = first.find((pid) => pid !== owner) ?? 0;
    process.kill(worker, 'SIGKILL');
    await expect
      .poll(() => crew.program.stderr(), { timeout: 30_000 })
      .toContain('(worker) ended by SIGKILL; another one');
    expect((await crew.pids(3)).includes(worker)).toBe(false);
    expect(await crew.ownerPid()).toBe(owner);
    const ticket = {
      method: 'POST',
      body: '{"title":"kept"}',
      headers: { 'content-type': 'application/json' },
    };
    expect((await crew.desk('/tickets', ticket)).status).toBe(201);
    const slow = crew.ask('/slow', { method: 'POST' }).then(
      ({ status }) => status,
      () => 'reset',
    );
    process.kill(owner, 'SIGKILL');
    // Whoever asks meanwhile waits for the next owner.
    await expect.poll(() => crew.ownerPid().catch(() => owner), { timeout: 60_000 }).not.toBe(owner);
    expect(['reset', 503, 200]).toContain(await slow);
    expect((await crew.desk('/tickets')).text).toContain('kept');
    expect((await crew.pids(3)).includes(owner)).toBe(false);
  });

  it('hand over sockets and streams, and close them with a code to come back on', async () => {
    verifies('scale.sockets');
    const crew = crewOf();
    const headers = { 'x-api-key': keys.DESK_KEY };
    const readers = await Promise.all(
      Array.from({ length: 6 }, () => openSocket(crew.url, '/devices/door/stream', keys.DESK_KEY)),
    );
    const feed = await listen(crew.url, headers);
    onTestFinished(() => feed.leave());
    let seq = 0;
    for (let i = 1; i <= 6; i++) {
      ({ seq } = (await frame(crew, i % 2 === 0 ? jpeg : large)).json as { seq: number });
      for (const reader of readers) expect(await reader.until('frame')).toMatchObject({ seq });
    }
    const publisher = await openSocket(crew.url, '/devices/door/ws', keys.DESK_KEY);
    publisher.send(jpeg);
    for (const reader of readers) expect(await reader.until('frame')).toMatchObject({ seq: seq + 1 });
    await crew.desk('/owner-pid');
    await feed.has(({ data }) => data['kind'] === 'tool_called');
    crew.program.child.kill('SIGTERM');
    expect((await Promise.all(readers.map(({ closed }) => closed))).map(({ code }) => code)).toEqual(
      readers.map(() => 1001),
    );
    expect(await crew.program.ended()).toBe(0);
  });
});

describe('several processes', () => {
  it('are one, with nothing beside it, where only one can be, and say why', async () => {
    verifies('scale.why-one');
    const crew = await startCrew({ WAYMARK_WORKERS: '', WAYMARK_DATABASE_URL: ':memory:' });
    expect(crew.report).toContain('1 process, because the database is in memory');
    expect(await crew.ownerPid()).toBe(crew.program.child.pid);
  });

  it('let as many through as a rate limit says', async () => {
    verifies('scale.limits');
    const crew = await startCrew({ WAYMARK_WORKERS: '2', LIMITED: 'yes' });
    const answers = await Promise.all(Array.from({ length: 40 }, () => crew.ask('/pid')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
  });
});

describe('a process that ends', () => {
  it('again and again ends the service, with a word and a code', async () => {
    verifies('scale.crash-loop');
    const broken = join(temporaryFolder(onTestFinished), 'broken');
    const crew = await startCrew({
      ...{ WAYMARK_WORKERS: '2', BROKEN: broken },
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'programs/exit-when-told.ts')}`,
    });
    writeFileSync(broken, '');
    process.kill(await crew.ownerPid(), 'SIGKILL');
    expect(await crew.program.ended()).toBe(3);
    expect(crew.program.stderr().match(/ended with exit code 3; another one/g)).toHaveLength(4);
    expect(crew.program.stderr()).toContain('again and again: stopping');
  });
});
