// What asking a model costs: `npm run bench:models -- --rounds=9 --calls=4000`. See README.md.
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { loadClients } from '../../../e2e/model-peers/load-clients.ts';
import { readJson } from '../../lib/workspace.ts';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { machineLine } from '../lib/cores.ts';
import { type Goal, printGoals } from '../lib/goals.ts';
import { type ServerProcess, startServerProcess } from '../lib/server-process.ts';
import { CallerProcess } from './caller-process.ts';
import { callerNames } from './callers.ts';
import { measureImport } from './import-cost.ts';
import { type Format, formats } from './request.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, calls: { type: 'string', default: '2000' } },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);
/** At once. */
const inFlight = 16;

await loadClients();
console.log(machineLine());
const provider = await startServerProcess(join(import.meta.dirname, 'provider.ts'));
try {
  const goals: Goal[] = [];
  for (const format of formats) goals.push(...(await compare(format, provider)));
  printGoals([...goals, await importing(), await dependencies()]);
} finally {
  await provider.stop();
}

/** Lets everybody ask the same question, and shows a table. */
async function compare(format: Format, { url }: ServerProcess): Promise<readonly Goal[]> {
  const callers: CallerProcess[] = [];
  try {
    for (const name of callerNames)
      callers.push(await CallerProcess.start(name, format, url, { calls, inFlight }));
    const [first] = callers;
    for (const { name, result } of callers)
      if (!isDeepStrictEqual(result, first?.result))
        throw new Error(`${name} found ${JSON.stringify(result)}`);
    const cpu = await bestOfRounds(callers, rounds);
    const of = (name: string): number => cpu.get(name) ?? Number.NaN;
    console.log(`\n${format.padEnd(12)}  CPU/call   calls/s   of fetch   × sdk`);
    for (const { name, perSecond } of callers)
      console.log(
        name.padEnd(12),
        `${of(name).toFixed(1)} µs`.padStart(9),
        String(Math.round(perSecond)).padStart(9),
        (of('fetch') / of(name)).toFixed(2).padStart(10),
        (of('sdk') / of(name)).toFixed(2).padStart(7),
      );
    return [
      { name: `models-${format}-times-sdk`, measured: of('sdk') / of('waymark'), op: '>=', target: 1.5 },
      { name: `models-${format}-of-fetch`, measured: of('fetch') / of('waymark'), op: '>=', target: 1 },
    ];
  } finally {
    await Promise.all(callers.map((caller) => caller.stop()));
  }
}

async function importing(): Promise<Goal> {
  const { whole, own } = await measureImport(11);
  console.log(`\nimport: ${own.toFixed(1)} ms of CPU, with contract and node:http ${whole.toFixed(1)} ms`);
  return { name: 'models-import', measured: own, op: '<=', target: 40, unit: 'ms' };
}

/** Packages that come with it and are not ours. */
async function dependencies(): Promise<Goal> {
  const path = join(import.meta.dirname, '../../../packages/models/package.json');
  const { dependencies: listed = {} } = readJson<{
    readonly dependencies?: Readonly<Record<string, string>>;
  }>(path);
  const others = Object.keys(listed).filter((name) => !name.startsWith('@waymark/'));
  return { name: 'models-dependencies', measured: others.length, op: '<=', target: 3 };
}
