/**
 * Two engines in one process, each with a run that waits for a human and has left a promise behind which rejects later.
 * Says what was logged; then does what it was told, and says `alive` if it can.
 *
 *     node --conditions=@waymark/source late-process.ts nothing|elsewhere|stopped|listened
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { runRoute, type Stage } from './drivers.ts';
import { json, openState, startEngine } from './engine.ts';

const [then = 'nothing'] = process.argv.slice(2);

const routes = (stage: Stage) => [
  runRoute(
    'behaviour',
    'leaves',
    async (ctx) => {
      const late = sleep(100).then(() => Promise.reject(new Error('too late')));
      return [await ctx.must('refund'), await late];
    },
    stage,
  ),
];

const say = (word: string, fields: object = {}): boolean =>
  process.stdout.write(`${JSON.stringify({ word, ...fields })}\n`);

const engines = await Promise.all(
  ['a', 'b'].map(async (name) => {
    const { database } = await openState();
    const log = (level: string, message: string, { run_id, error }: Record<string, unknown> = {}): void =>
      void say('log', { engine: name, level, message, run_id, error: String(error) });
    return { name, engine: await startEngine(database, routes, { log }) };
  }),
);
for (const { name, engine } of engines) {
  const { run_id } = json(await engine.call('leaves'));
  say('waits', { engine: name, run_id });
}
await sleep(200);
if (then === 'listened') process.on('unhandledRejection', () => say('heard'));
if (then === 'stopped') for (const { engine } of engines) await engine.stop();
if (then !== 'nothing') void Promise.reject(new Error('of nobody'));
await sleep(10);
say('alive');
process.exit(0);
