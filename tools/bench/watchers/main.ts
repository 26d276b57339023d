// What watchers cost a hub: `npm run bench:watchers -- --rounds=9 --seconds=4`. See README.md.

import { join } from 'node:path';
import { hrtime } from 'node:process';
import { parseArgs } from 'node:util';
import type { FrameRecord } from '@waymark/contract/hub';
import { startSimulator } from '@waymark/model-simulator';
import { LastLook } from '../../../packages/watchers/src/look/last-look.ts';
import { makeFrame } from '../hub/frame.ts';
import { inTurns, Rounds } from '../hub/rounds.ts';
import { loadCore, machineLine } from '../lib/cores.ts';
import { printGoals } from '../lib/goals.ts';
import { runPinned } from '../lib/run-pinned.ts';
import { startServerProcess } from '../lib/server-process.ts';
import { cameras, fps, watchersPerCamera } from './yard.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '4' } },
});

/** What a round gave. */
interface Round {
  readonly frames: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuShare: number;
}

const crowd = cameras * watchersPerCamera;
const models = await startSimulator({ anonymous: true, maxRequests: 1 });
const program = (name: string): string => join(import.meta.dirname, name);

/** A server of its own for each turn: none has more behind it than the other. */
async function turn(watchers: number): Promise<Round> {
  const server = await startServerProcess(program('server.ts'), [String(watchers), models.url]);
  try {
    const before = await server.sample();
    const startMs = performance.now();
    const node = [process.execPath, '--conditions=@waymark/source', program('load.ts')];
    const printed = await runPinned(loadCore, [...node, server.url, values.seconds]);
    const { cpuMicros } = await server.sample();
    const cpuShare = (cpuMicros - before.cpuMicros) / 1000 / (performance.now() - startMs);
    return { ...(JSON.parse(printed) as Omit<Round, 'cpuShare'>), cpuShare };
  } finally {
    await server.stop();
  }
}

/** Of one comparison, on a device where nothing happens. */
function tickMicros(make: () => FrameRecord): number {
  const look = new LastLook();
  look.keep({ frame: make() });
  const times = 2_000;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const frames = Array.from({ length: times }, make);
    const start = hrtime.bigint();
    for (const frame of frames) if (look.differs({ frame })) throw new Error('it is no change');
    best = Math.min(best, Number(hrtime.bigint() - start) / 1000 / times);
  }
  return best;
}

console.log(machineLine());
const rounds = new Map(
  [0, crowd].map((watchers) => [watchers, { p50: new Rounds(), p99: new Rounds(), cpu: new Rounds() }]),
);
await inTurns([0, crowd], Number(values.rounds), turn, (watchers, { p50Ms, p99Ms, cpuShare }) => {
  const of = rounds.get(watchers);
  of?.p50.add(p50Ms);
  of?.p99.add(p99Ms);
  of?.cpu.add(cpuShare);
});
for (const [watchers, { p50, p99, cpu }] of rounds)
  console.log(
    `${watchers} watchers on ${cameras} cameras at ${fps} fps: p50 ${p50.toString()} ms, p99 ${p99.toString()} ms, ${cpu.toString(2)} of a core`,
  );
const [none, all] = [rounds.get(0), rounds.get(crowd)];
const bytes = makeFrame(200_000);
const copies = Array.from({ length: 8 }, () => Buffer.from(bytes));
const record = (seq: number, of: Buffer): FrameRecord => ({
  ...{ kind: 'frame', seq, mediaType: 'image/jpeg', bytes: of, atMs: 0 },
});
const same = record(1, bytes);
let seq = 1;
const asBefore = tickMicros(() => same);
const compared = tickMicros(() => record(++seq, copies[seq % copies.length] ?? bytes));
await models.close();
console.log();
printGoals([
  {
    name: 'watchers-p99-to-none',
    measured: all && none ? all.p99.over(none.p99).median : Number.NaN,
    op: '<=',
    target: 1.1,
  },
  { name: 'watchers-tick-same-frame', measured: asBefore, op: '<=', target: 10, unit: 'µs' },
  { name: 'watchers-tick-same-bytes-200kb', measured: compared, op: '<=', target: 10, unit: 'µs' },
]);
