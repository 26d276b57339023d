/**
 * One process of a series on one database: takes up what the one before left behind, starts a nesting of its own, decides
 * on whatever waits, and kills itself at its n-th point; 0 is never. What must survive goes to a file.
 *
 *     node --conditions=@waymark/source kill-process.ts <database> <journal> <shape> <policy> <point> <name>
 */
import { isOpen } from '../runs/end.ts';
import { boss, openState, startEngine } from '../runs/engine.ts';
import { FileWorld } from '../runs/file-world.ts';
import { endLeases } from '../runs/simulate.ts';
import { Life } from '../runs/world.ts';
import { decisionOf, type Policy } from './endure.ts';
import { nestedShapes } from './shapes.ts';

const [file = '', journal = '', shapeAt = '', policy = '', point = '', name = ''] = process.argv.slice(2);
const shape = nestedShapes[Number(shapeAt)];
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

// Each process has an opinion of its own.
let nth = Number(name);
async function decide(): Promise<void> {
  const roots = await store.list({ status: 'waiting', limit: 1 });
  const { approvals } = await store.load(roots[0]?.runId ?? '');
  if (!approvals.some(({ status }) => status === 'pending')) return;
  const { approvalId, approve } = decisionOf(approvals, policy as Policy, nth++);
  await engine.runner.decide(approvalId, { approve, note: 'so be it', by: boss });
}

let started = false;
const inSession = shape.input?.['session_id'] !== undefined;
void engine.call(shape.start, { ...shape.input, ...(inSession && { session_id: name }) }).then(() => {
  started = true;
});
for (let open = 1; open > 0 || !started; ) {
  await decide();
  await new Promise(setImmediate);
  open = (await store.list({ limit: 500 })).filter(isOpen).length;
}
process.exit(0);
