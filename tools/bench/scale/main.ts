// What several processes are worth: see ../README.md. More blocks where others use the machine: `npm run bench:scale -- --blocks=9`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machineLine } from '../lib/cores.ts';
import { printGoals } from '../lib/goals.ts';
import { Line, linesTo, timeOf } from './lines.ts';
import { overRedis } from './redis/over-redis.ts';
import { startServer } from './server.ts';

const { values } = parseArgs({ options: { blocks: { type: 'string', default: '5' } } });
const blocks = Math.max(3, Number(values.blocks));
// A picture of one pixel, and what cameras have behind it.
const pixel =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=';
const frame = Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.alloc(400_000)]);

console.log(machineLine());
const folder = await mkdtemp(join(tmpdir(), 'waymark-scale-'));
const one = await startServer(1, folder);
const two = await startServer(2, folder);
const lines = {
  one: await linesTo(one.url, 'owner', 8),
  two: [...(await linesTo(two.url, 'owner', 4)), ...(await linesTo(two.url, 'worker', 4))],
  direct: await linesTo(two.url, 'owner', 4),
  forwarded: await linesTo(two.url, 'worker', 4),
  // Its first request is a frame, with which it moves to the owner.
  moved: [new Line(two.url)],
};

/** The least of several blocks of each, taken in turn: a busy machine only makes them longer. */
async function least<const N extends string>(
  works: Readonly<Record<N, () => Promise<number>>>,
): Promise<Record<N, number>> {
  const found = Object.fromEntries(
    Object.keys(works).map((name) => [name, Number.POSITIVE_INFINITY]),
  ) as Record<N, number>;
  for (let i = 0; i < blocks; i++)
    for (const name of Object.keys(works) as N[]) found[name] = Math.min(found[name], await works[name]());
  return found;
}

const work = await least({
  one: () => timeOf(lines.one, '/work', 400),
  two: () => timeOf(lines.two, '/work', 400),
});
const owned = await least({
  direct: () => timeOf(lines.direct, '/owned', 1_000),
  forwarded: () => timeOf(lines.forwarded, '/owned', 1_000),
});
const frames = await least({
  one: () => timeOf(lines.one.slice(0, 1), '/devices/door/frames', 200, frame),
  moved: () => timeOf(lines.moved, '/devices/door/frames', 200, frame),
});
console.log(`boot: one process ${Math.round(one.bootMs)} ms, two ${Math.round(two.bootMs)} ms`);
console.log(`memory: one process ${one.memory().join(' + ')} MB, two ${two.memory().join(' + ')} MB`);
console.log(
  `owner route: direct ${owned.direct.toFixed(0)} µs, through a worker ${owned.forwarded.toFixed(0)} µs a call`,
);
for (const line of Object.values(lines).flat()) line.close();
await Promise.all([one.stop(), two.stop()]);
// As large as a camera's of a web page.
const shared = await overRedis(folder, frame.subarray(0, 50_000), blocks);
await rm(folder, { recursive: true });
console.log();
printGoals([
  { name: 'stateless-two-processes', measured: work.one / work.two, op: '>=', target: 1.8 },
  { name: 'owner-route-through-worker', measured: owned.direct / owned.forwarded, op: '>=', target: 0.7 },
  { name: 'ingest-handed-over', measured: frames.moved / frames.one, op: '<=', target: 1.05 },
  ...shared,
]);
