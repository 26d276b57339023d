/** A started server can open no more files and connections, or hardly any from its start on. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FaultedDesk, type Health, wholeScenario } from '../test/faults/faulted-desk.ts';
import { gather, limitDescriptors } from '../test/faults/limit-descriptors.ts';
import { healthMs, isWell } from '../test/faults/play-faults.ts';
import { startServer } from '../test/outages/outage-server.ts';
import { keys } from '../test/servers/fleet.ts';
import { temporaryFolder } from '../test/started-desk.ts';
import { Connection, toBytes, type WireRequest } from '../test/wire/connection.ts';

const crowdSize = 150;
/** So long nobody can connect. */
const lastsMs = 8_000;

describe('a server that can open nothing more', () => {
  it.each([0, 5, 30])('tells it, answers who is connected, and goes on: %i left', async (more) => {
    const desk = await FaultedDesk.start(wholeScenario);
    if (!desk) throw new Error('this drill needs Linux and a C compiler');
    await desk.play();
    const port = Number(new URL(desk.server.url).port);
    // Whoever was there before.
    const kept = await Connection.open(port);
    const ask = async (request: WireRequest) => {
      kept.send(toBytes(request));
      const answer = await kept.next();
      if (!answer) throw new Error('who was connected was cut off');
      return answer;
    };
    const codes = async (): Promise<readonly string[]> => {
      const health = JSON.parse((await ask({ target: '/_svc/health' })).body) as Health;
      return health.troubles?.map(({ code }) => code) ?? [];
    };
    const playing = desk.play('descriptors');
    await sleep(200);
    const lift = limitDescriptors(desk.server.program.child.pid ?? 0, more);
    const startMs = performance.now();
    const crowd = await gather(port, crowdSize);
    while (!(await codes()).includes('descriptors-exhausted')) {
      expect(performance.now() - startMs).toBeLessThan(healthMs.promised);
      await sleep(50);
    }
    const statuses = [];
    while (performance.now() - startMs < lastsMs) {
      const { status } = await ask({
        ...{
          method: 'POST',
          target: '/notes',
          body: JSON.stringify({ job: 'direct-kept', n: statuses.length }),
        },
        headers: [
          ['x-api-key', keys.DESK_KEY],
          ['content-type', 'application/json'],
        ],
      });
      statuses.push(status);
      await sleep(250);
    }
    const cut = crowd.cut();
    crowd.leave();
    kept.close();
    // Where there were hardly any without the crowd, somebody has to raise the limit.
    if (more < 16) lift();
    expect(await desk.until(isWell, healthMs.promised)).toBeDefined();
    await playing;
    const faults = await desk.close();
    process.stdout.write(
      `${more} left: ${cut} of ${crowdSize} were cut off, ${statuses.length} rows stored\n`,
    );
    expect(faults).toEqual([]);
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(cut).toBeGreaterThan(crowdSize / 2);
  });
});

/** Starts a server that may have so many files and connections. */
function startLimited(file: string, limit: number) {
  const root = join(import.meta.dirname, '../..');
  const argv = [
    ...[`--nofile=${limit}:${limit}`, process.execPath, '--conditions=@waymark/source'],
    ...[join(root, 'apps/server/bin/waymark.js'), 'start'],
    ...[join(import.meta.dirname, '../test/programs/outage-desk.ts'), '--port', '0'],
  ];
  const child = spawn('prlimit', argv, {
    cwd: join(file, '..'),
    env: { PATH: process.env['PATH'], DESK_KEY: keys.DESK_KEY, DATABASE: file, LOG_LEVEL: 'error' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  const listens = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
        if (url !== undefined) resolve(url);
      });
  });
  return { child, ended, listens, said: () => said };
}

it.each([20, 22, 24, 26, 28, 30, 32, 36, 40, 48, 64])(
  'a server that may open %i files starts or says why not, and leaves its database whole',
  async (limit) => {
    const file = join(temporaryFolder(onTestFinished), 'desk.db');
    const before = await startServer(file);
    expect((await before.note('before')).status).toBe(201);
    expect(await before.stop()).toBe(0);

    const { child, ended, listens, said } = startLimited(file, limit);
    const first = await Promise.race([listens, ended, sleep(20_000, 'hangs')]);
    expect(first).not.toBe('hangs');
    if (typeof first === 'string' && first.startsWith('http')) {
      const health = await fetch(`${first}/_svc/health`).then(
        async (response) => (await response.json()) as Health,
        () => undefined,
      );
      process.stdout.write(
        `${limit}: listens, health ${JSON.stringify(health?.troubles ?? 'is out of reach')}\n`,
      );
      child.kill('SIGTERM');
      expect(await Promise.race([ended, sleep(20_000, 'hangs')])).toBe(0);
    } else {
      process.stdout.write(`${limit}: ${first}: ${said().trim().slice(0, 300)}\n`);
      expect(first).not.toBe(0);
      expect(said().trim()).not.toBe('');
    }

    const after = await startServer(file);
    expect((await after.note('after')).status).toBe(201);
    expect(await after.stop()).toBe(0);
    const database = new DatabaseSync(file, { readOnly: true });
    expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.prepare('select text from notes').all()).toEqual([{ text: 'before' }, { text: 'after' }]);
    database.close();
  },
);
