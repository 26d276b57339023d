/** Three processes on one file, killed and stalled while they work: nothing is lost, and nothing done twice. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openState } from '../test/runs/engine.ts';

const program = join(import.meta.dirname, '../test/runs/run-process.ts');
const killsMs = 1_200;
const workMs = Number(process.env['RUNS_WORK_MS'] ?? 20_000);

it('three processes with kill -9 and stalls keep every promise', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'runs.db');
  const effects = join(folder, 'effects.txt');
  const { database, store } = await openState(`file:${file}`);
  const begin = (name: number): ChildProcess =>
    fork(program, [file, effects, `p${name}`], {
      execArgv: ['--conditions=@waymark/source'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
  let names = 0;
  const processes = Array.from({ length: 3 }, () => begin(names++));
  onTestFinished(() => {
    for (const one of processes) one.kill('SIGKILL');
  });
  const untilMs = Date.now() + workMs;
  let kills = 0;
  while (Date.now() < untilMs) {
    await sleep(killsMs);
    const i = kills % processes.length;
    processes[i]?.kill('SIGKILL');
    kills++;
    processes[i] = begin(names++);
    await sleep(killsMs);
  }
  for (const one of processes) if (one.connected) one.send('enough');
  const open = async () =>
    (
      await database.many(
        "select count(*) as n from svc__run where parent_id is null and status in ('running', 'ready', 'waiting')",
      )
    )[0]?.['n'];
  for (let i = 0; i < 600 && Number(await open()) > 0; i++) await sleep(200);
  expect(await open()).toBe(0);
  for (const one of processes) one.kill('SIGKILL');
  const lines = readFileSync(effects, 'utf8').trim().split('\n');
  const count = new Map<string, number>();
  for (const line of lines) count.set(line, (count.get(line) ?? 0) + 1);
  const rows = await database.many('select key, count(*) as n from effect group by key having n > 1');
  expect(rows).toEqual([]);
  for (const [line, times] of count) if (line.startsWith('once')) expect(times, line).toBe(1);
  const granted = await database.many(
    "select run_id || '.' || seq as key, count(*) as n from svc__approval where status = 'approved' group by 1",
  );
  const allowed = new Map(granted.map(({ key, n }) => [`refund ${String(key)}`, Number(n)]));
  for (const [line, times] of count)
    if (line.startsWith('refund')) expect(times, line).toBeLessThanOrEqual(allowed.get(line) ?? 0);
  expect(await store.approvals({ status: 'pending', limit: 1 })).toEqual([]);
  const failed = await database.many(
    "select error from svc__run where status = 'failed' and error like '%replay_mismatch%'",
  );
  expect(failed).toEqual([]);
  const [total] = await database.many('select count(*) as n from svc__run where parent_id is null');
  process.stdout.write(`${Number(total?.['n'])} runs, ${kills} kills, ${lines.length} effects\n`);
  await database.close();
});
