// What pages, files and proxies cost: `npm run bench:pages -- --rounds=9 --seconds=2`. See README.md.
import { strictEqual } from 'node:assert';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installFolder } from '../../lib/install.ts';
import { bestOfRounds } from '../lib/best-of-rounds.ts';
import { machineLine } from '../lib/cores.ts';
import { type Goal, printGoals } from '../lib/goals.ts';
import { RequestCost } from '../lib/request-cost.ts';
import { type ServerProcess, startServerProcess } from '../lib/server-process.ts';
import { type Case, type CaseName, cases } from './site.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const rounds = Math.max(5, Number(values.rounds));
const seconds = Number(values.seconds);

const programs = { fastify: 'peers/fastify.mjs', waymark: 'contestants/waymark.ts' } as const;
type Name = keyof typeof programs;

installFolder(join(import.meta.dirname, 'peers'));
console.log(machineLine());
const upstream = await startServerProcess(join(import.meta.dirname, 'contestants/upstream.ts'));
const servers = new Map<Name, ServerProcess>();
try {
  for (const name of Object.keys(programs) as Name[])
    servers.set(name, await startServerProcess(join(import.meta.dirname, programs[name]), [upstream.url]));
  const goals: Goal[] = [];
  for (const name of Object.keys(cases) as CaseName[])
    if (values.only === undefined || values.only === name) goals.push(await compare(name, cases[name]));
  console.log();
  printGoals(goals);
} finally {
  for (const server of [...servers.values(), upstream]) await server.stop();
}

async function compare(name: CaseName, given: Case): Promise<Goal> {
  await checkAnswers(given);
  const costs = [...servers].map(([who, server]) => new RequestCost(who, server, [given.request], seconds));
  const best = await bestOfRounds(costs, rounds);
  const of = (who: Name): number => best.get(who) ?? Number.NaN;
  console.log(`\n${name.padEnd(10)} µs CPU  best requests/s`);
  for (const { name: who, perSecond } of costs) {
    const columns = [
      of(who as Name)
        .toFixed(1)
        .padStart(8),
      String(Math.round(perSecond)).padStart(16),
    ];
    console.log(`  ${who.padEnd(8)}${columns.join(' ')}`);
  }
  return { name: `pages-${name}-to-fastify`, measured: of('fastify') / of('waymark'), op: '>=', target: 1 };
}

/** Makes sure that everybody gives the same answer. */
async function checkAnswers({ request, type, answer }: Case): Promise<void> {
  let expected = answer;
  for (const [who, { url }] of servers) {
    const response = await fetch(url + request.path);
    const text = await response.text();
    strictEqual(response.status, 200, `${who} ${request.path}`);
    strictEqual(response.headers.get('content-type')?.split(';')[0], type, `${who} ${request.path}`);
    expected ??= text;
    strictEqual(text, expected, `${who} ${request.path}`);
  }
}
