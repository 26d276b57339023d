// What several processes are worth: see ../README.md. More blocks where others use the machine: `npm run bench:scale -- --blocks=9`.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printGoals } from '../lib/goals.ts';
import { askAll, Line, linesTo } from './lines.ts';
import { type BenchServer, startServer } from './server.ts';
import { openViewers } from './viewers.ts';

const { values } = parseArgs({ options: { blocks: { type: 'string', default: '5' } } });
/** As many are under way at a time: fewer would leave the processes of a server that does all it can without work. */
const lineCount = 16;
const blocks = Math.max(3, Number(values.blocks));
// A picture of one pixel, and what cameras have behind it.
const pixel =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=';
const frame = Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.alloc(400_000)]);

console.log(`node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? process.arch}`);
console.log(`Microseconds of a CPU for each request, counted by the kernel for each process; who asks is not among them.
What processes can do in a second is bounded by the one that works most, and by two CPUs for all of them.
`);
const folder = await mkdtemp(join(tmpdir(), 'waymark-scale-'));
const one = await startServer(1, folder);
const two = await startServer(2, folder);
const newLines = (url: string, kept: boolean): readonly Line[] =>
  Array.from({ length: lineCount }, () => new Line(url, kept));
const lines = {
  one: newLines(one.url, true),
  two: newLines(two.url, true),
  each: newLines(two.url, false),
  oneEach: newLines(one.url, false),
};

/** What something costs each process of a server, the one that keeps them first. */
interface Cost {
  readonly server: BenchServer;
  /** Requests of one block. */
  readonly requests: number;
  run(): Promise<void>;
}

const asks = (
  server: BenchServer,
  by: readonly Line[],
  path: string,
  each: number,
  body?: Uint8Array,
): Cost => ({
  ...{ server, requests: by.length * each },
  run: () => askAll(by, path, each, body),
});

/** Microseconds that a request takes of what bounds the service. */
function bound(micros: readonly number[]): number {
  return Math.max(...micros, whole(micros) / 2);
}

function whole(micros: readonly number[]): number {
  return micros.reduce((sum, one) => sum + one, 0);
}

/** The least of several blocks of each, taken in turn: a busy machine only adds to them. */
async function least<const N extends string>(
  costs: Readonly<Record<N, Cost>>,
  count = blocks,
): Promise<Readonly<Record<N, readonly number[]>>> {
  const names = Object.keys(costs) as N[];
  const found = new Map<N, readonly number[]>();
  for (let i = 0; i <= count; i++)
    for (const name of names) {
      const { server, requests, run } = costs[name];
      const before = server.cpuMicros();
      await run();
      const micros = server.cpuMicros().map((after, at) => (after - (before[at] ?? 0)) / requests);
      const best = found.get(name);
      // The first block warms up.
      if (i > 0 && (best === undefined || bound(micros) < bound(best))) found.set(name, micros);
    }
  for (const name of names)
    console.log(
      `${name.padEnd(32)} ${(found.get(name) ?? []).map((micros) => micros.toFixed(0)).join(' + ')}`,
    );
  return Object.fromEntries(found) as Record<N, readonly number[]>;
}

/** What moves megabytes costs what others leave of the caches: of many short blocks some are undisturbed. */
const leastOfMany: typeof least = (costs) => least(costs, 8 * blocks);
const frameCount = 10;

const stateless = await least({
  'work, one process': asks(one, lines.one, '/work', 25),
  'work, two': asks(two, lines.two, '/work', 25),
  'next to nothing, one process': asks(one, lines.one, '/pid', 100),
  'next to nothing, two': asks(two, lines.two, '/pid', 100),
  'a connection each, one process': asks(one, lines.oneEach, '/pid', 50),
  'a connection each, two': asks(two, lines.each, '/pid', 50),
});
// Kept connections are ended where nobody uses them: these are opened when they are needed.
const direct = await linesTo(two.url, 'owner', lineCount);
const forwarded = await linesTo(two.url, 'worker', lineCount);
const owned = await least({
  'owner, work, direct': asks(two, direct, '/owned-work', 25),
  'owner, work, through a worker': asks(two, forwarded, '/owned-work', 25),
  'owner, nothing, direct': asks(two, direct, '/owned', 100),
  'owner, nothing, through a worker': asks(two, forwarded, '/owned', 100),
});
// The first request of one is a frame, with which it moves to the owner.
const own = await linesTo(one.url, 'owner', 1);
const moved = await linesTo(two.url, 'worker', 1);
const frames = await leastOfMany({
  'frame, one process': asks(one, own, '/devices/door/frames', frameCount, frame),
  'frame, handed over': asks(two, moved, '/devices/door/frames', frameCount, frame),
});
const [viewersOne, viewersTwo] = [await openViewers(one.url, 8), await openViewers(two.url, 8)];
const shows = (server: BenchServer, { show }: typeof viewersOne): Cost => ({
  ...{ server, requests: frameCount },
  async run() {
    for (let i = 0; i < frameCount; i++) await show(frame);
  },
});
const fanOut = await leastOfMany({
  'frame to 8 viewers, one process': shows(one, viewersOne),
  'frame to 8 viewers, handed over': shows(two, viewersTwo),
});
console.log(`\nboot: one process ${Math.round(one.bootMs)} ms, two ${Math.round(two.bootMs)} ms`);
console.log(`memory: one process ${one.memory().join(' + ')} MB, two ${two.memory().join(' + ')} MB\n`);
viewersOne.close();
viewersTwo.close();
for (const line of [...Object.values(lines).flat(), ...direct, ...forwarded, ...own, ...moved]) line.close();
await Promise.all([one.stop(), two.stop()]);
await rm(folder, { recursive: true });
// Frames have one process that answers them: what others do meanwhile they do anyway.
/** How many times as much the second can do in a second. */
const gain = (first: readonly number[], second: readonly number[]): number => bound(first) / bound(second);
printGoals([
  {
    ...{ name: 'stateless-two-processes', op: '>=', target: 1.8 },
    measured: gain(stateless['work, one process'], stateless['work, two']),
  },
  {
    ...{ name: 'owner-route-through-worker', op: '>=', target: 0.7 },
    measured: gain(owned['owner, work, direct'], owned['owner, work, through a worker']),
  },
  {
    ...{ name: 'owner-route-through-worker-of-nothing', op: '>=', target: 0.7 },
    measured: gain(owned['owner, nothing, direct'], owned['owner, nothing, through a worker']),
  },
  {
    ...{ name: 'ingest-handed-over', op: '<=', target: 1.05 },
    measured: Math.max(...frames['frame, handed over']) / Math.max(...frames['frame, one process']),
  },
  {
    ...{ name: 'fan-out-handed-over', op: '<=', target: 1.05 },
    measured:
      Math.max(...fanOut['frame to 8 viewers, handed over']) /
      Math.max(...fanOut['frame to 8 viewers, one process']),
  },
]);
