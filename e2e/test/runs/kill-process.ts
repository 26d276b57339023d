/**
 * One process of a series on one database: takes up what the one before left behind, starts a run of its own, decides on
 * whatever waits, and kills itself at its n-th point; 0 is never. What must survive goes to a file.
 *
 *     node --conditions=@waymark/source kill-process.ts <database> <journal> <shape> <policy> <point> <name>
 */
import { isOpen } from './end.ts';
import { boss, openState, startEngine } from './engine.ts';
import { FileWorld } from './file-world.ts';
import { shapes } from './shapes.ts';
import { endLeases } from './simulate.ts';
import { Life } from './world.ts';

const [file = '', journal = '', shapeAt = '', policy = '', point = '', name = ''] = process.argv.slice(2);
const shape = shapes[Number(shapeAt)];
if (!shape) throw new Error(`no shape ${shapeAt}`);

class KilledLife extends Life {
  override kill(): void {
    process.kill(process.pid, 'SIGKILL');
    // Not one instruction of the engine more.
    for (;;);
  }
}

const { database, store } = await openState(`file:${file}`);
// Whoever held them is dead.
await endLeases(database);
const life = new KilledLife(Number(point) || Number.POSITIVE_INFINITY);
const world = new FileWorld(journal, Number(name));
// What was left behind is looked for often; deadlines are far away.
const after = (ms: number, task: () => unknown) => {
  const timer = ms > 1_000 ? undefined : setTimeout(task, Math.min(ms, 20));
  return () => clearTimeout(timer);
};
const engine = await startEngine(database, shape.routes, { life, world, after });

async function decide(): Promise<void> {
  const pending = await store.approvals({ status: 'pending', limit: 100 });
  const one = policy === 'approve-last' ? pending.at(-1) : pending[0];
  if (!one) return;
  const { status } = (await store.list({ limit: 500 })).find(({ runId }) => runId === one.rootId) ?? {};
  if (status === 'waiting')
    await engine.runner.decide(one.approvalId, { approve: policy !== 'deny', note: 'so be it', by: boss });
}

// Whoever waits for it may be gone.
setTimeout(() => process.exit(3), 200_000);

let started = false;
const input = shape.input && { ...shape.input, session_id: name };
void engine.call(shape.start, input).then(() => {
  started = true;
});
for (let open = 1; open > 0 || !started; ) {
  await decide();
  await new Promise(setImmediate);
  open = (await store.list({ limit: 500 })).filter(isOpen).length;
}
process.exit(0);
