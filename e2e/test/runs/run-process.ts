/**
 * One of several processes on one database: starts runs, decides on whatever waits, stalls for longer than its lease now
 * and then, until it is told to begin nothing new. Effects go to a file, which outlives everybody.
 *
 *     node --conditions=@waymark/source run-process.ts <database> <effects> <name>
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, runRoute, type Stage } from './drivers.ts';
import { boss, openState, startEngine } from './engine.ts';
import { World } from './world.ts';

const [file = '', effects = '', name = ''] = process.argv.slice(2);
const leaseMs = 700;

class FileWorld extends World {
  override happened(what: string): void {
    appendFileSync(effects, `${what}\n`);
  }
}

const routes = (stage: Stage) => [
  runRoute(
    'flow',
    'intake',
    async (ctx) => [await ctx.must('row'), await ctx.call('clerk'), await ctx.call('once')],
    stage,
  ),
  runRoute(
    'agent',
    'clerk',
    agent([{ calls: ['once', 'refund'].map((tool) => ({ tool, args: {} })) }, { text: 'bye' }]),
    stage,
  ),
];

const after = (ms: number, task: () => unknown) => {
  const timer = setTimeout(task, Math.min(ms, 200));
  return () => clearTimeout(timer);
};

const { database, store } = await openState(`file:${file}`);
// Deadlines are far away; everything else comes often.
const engine = await startEngine(database, routes, {
  world: new FileWorld(),
  leaseMs,
  renewMs: 200,
  after: (ms, task) => (ms > 60_000 ? () => {} : after(ms, task)),
});

let begins = true;
process.on('message', (message) => {
  if (message === 'enough') begins = false;
});
process.send?.('ready');

for (let round = 0; ; round++) {
  if (begins) void engine.call('intake').catch(() => {});
  const pending = await store.approvals({ status: 'pending', limit: 5 });
  const one = pending[round % Math.max(1, pending.length)];
  if (one)
    void engine.runner
      .decide(one.approvalId, { approve: round % 4 !== 0, note: name, by: boss })
      .catch(() => {});
  await sleep(15);
  // The event loop stands still: no renewal goes out, and somebody else takes over.
  if (begins && round % 60 === 59) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * leaseMs);
}
