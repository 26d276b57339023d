// What the service costs beside another checkout of itself: `npm run bench:before -- ../before --rounds=9`. See ../README.md.
import { mkdtemp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startModelServer } from '../agents/model-server.ts';
import { fillFile } from '../data/contestants.ts';
import { withFolder } from '../data/with-folder.ts';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { machineLine } from '../lib/cores.ts';
import { type Goal, printGoals } from '../lib/goals.ts';
import { startServerProcess } from '../lib/server-process.ts';
import { type Subject, subjects } from './subjects.ts';

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    // How a process turned out, its caches and compiled code, stays with it: each checkout has several in turn.
    processes: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
  allowPositionals: true,
});
const [before] = positionals;
if (before === undefined)
  throw new Error(
    'name a folder with the earlier checkout, its modules installed: npm run bench:before -- ../before',
  );
const rounds = Math.max(5, Number(values.rounds));
const checkouts = { before: resolve(before), now: resolve(import.meta.dirname, '../../..') };

const processes = Math.max(1, Number(values.processes));

console.log(machineLine());
const goals: Goal[] = [];
await withFolder(async (folder) => {
  const models = await startModelServer();
  try {
    for (const subject of subjects.filter(({ name }) => name.startsWith(values.only)))
      goals.push(await compare(subject, { folder, modelsUrl: models.url }));
  } finally {
    await models.stop();
  }
});
printGoals(goals);

interface Surroundings {
  readonly folder: string;
  readonly modelsUrl: string;
}

/** One subject from both checkouts, in turns under the same load: CPU of now to CPU of before. */
async function compare(subject: Subject, surroundings: Surroundings): Promise<Goal> {
  const least = { before: Number.POSITIVE_INFINITY, now: Number.POSITIVE_INFINITY };
  for (let turn = 0; turn < processes; turn++) {
    const best = await measure(subject, surroundings, turn);
    for (const when of ['before', 'now'] as const)
      least[when] = Math.min(least[when], best.get(when) ?? Number.NaN);
  }
  const { name } = subject;
  console.log(
    `${name.padEnd(28)}${least.before.toFixed(1).padStart(9)} µs before${least.now.toFixed(1).padStart(9)} µs now`,
  );
  return { name: `before-${name}`, measured: least.now / least.before, op: '<=', target: 1.02 };
}

/** New processes of both, measured in turns. Whichever is started second is up to 4% slower (measured): each is in its turn. */
async function measure(
  { name, program, args, toCost }: Subject,
  { folder, modelsUrl }: Surroundings,
  turn: number,
): Promise<ReadonlyMap<string, number>> {
  const inOrder = Object.entries(checkouts);
  const servers = await Promise.all(
    (turn % 2 === 0 ? inOrder : inOrder.toReversed()).map(async ([when, root]) => {
      const own = await mkdtemp(join(folder, `${name}-`));
      const file = join(own, 'tickets.db');
      if (args.includes('{file}')) fillFile(file);
      const filled: Readonly<Record<string, string>> = {
        '{file}': file,
        '{models}': modelsUrl,
        '{folder}': own,
      };
      const given = args.map((arg) => filled[arg] ?? arg);
      return { when, server: await startServerProcess(join(root, 'tools/bench', program), given) };
    }),
  );
  try {
    return await bestOfRounds(
      servers.map(({ when, server }) => toCost(when, server)),
      rounds,
    );
  } finally {
    await Promise.all(servers.map(({ server }) => server.stop()));
  }
}
