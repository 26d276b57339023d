import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/index.ts';
import { outputOf, spawnScript } from './spawn.ts';

/** What became of the rows of several processes. */
export interface Tally {
  readonly acknowledged: number;
  readonly lost: number;
  readonly integrity: unknown;
  readonly killed: number;
}

/** How `tallyWriters` lets them write. */
export interface WritersOptions {
  readonly processes: number;
  readonly ms: number;
  /** Processes killed (-9) and replaced, at random moments. */
  readonly kills?: number;
  readonly way?: 'careful' | 'lasting' | 'careless';
}

/** Lets processes write one file for a while, then looks for every row that one of them was told is stored. */
export async function tallyWriters(
  file: string,
  { processes, ms, kills = 0, way = 'careful' }: WritersOptions,
): Promise<Tally> {
  const database = await openDatabase(`sqlite://${file}`);
  await database.write([
    {
      sql: 'create table if not exists rows (writer text, n integer, primary key (writer, n)) without rowid',
    },
  ]);
  await database.close();

  const acknowledged = new Map<string, number[]>();
  let writers = 0;
  const start = async () => {
    const writer = `w${++writers}`;
    const child = spawnScript('write-rows.ts', file, writer, '16', way);
    const ended = outputOf(child).then(({ text, errors, code }) => {
      if (code === 1) throw new Error(errors);
      // The last line may be cut off by the kill.
      acknowledged.set(writer, text.split('\n').slice(0, -1).map(Number));
    });
    // A process that writes takes a second to start; only then its time counts.
    await Promise.race([once(child.stdout, 'data'), ended]);
    return { child, ended };
  };
  const all = await Promise.all(Array.from({ length: processes }, start));
  const live = [...all];
  for (let killed = 0; killed < kills; killed++) {
    await sleep((ms / (kills + 1)) * (0.5 + Math.random()));
    const at = killed % processes;
    live[at]?.child.kill('SIGKILL');
    const replacement = await start();
    live[at] = replacement;
    all.push(replacement);
  }
  await sleep(kills > 0 ? ms / (kills + 1) : ms);
  for (const { child } of live) child.stdin.write('stop\n');
  await Promise.all(all.map(({ ended }) => ended));
  return { ...(await count(file, acknowledged)), killed: kills };
}

async function count(file: string, acknowledged: ReadonlyMap<string, readonly number[]>) {
  const database = await openDatabase(`sqlite://${file}`);
  let lost = 0;
  let total = 0;
  for (const [writer, numbers] of acknowledged) {
    const rows = await database.many('select n from rows where writer = ?', [writer]);
    const stored = new Set(rows.map(({ n }) => n));
    lost += numbers.filter((n) => !stored.has(n)).length;
    total += numbers.length;
  }
  const [integrity] = await database.many('select integrity_check as result from pragma_integrity_check');
  await database.close();
  return { acknowledged: total, lost, integrity: integrity?.['result'] };
}
