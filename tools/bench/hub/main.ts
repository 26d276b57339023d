// What frames cost, and how old they get: `npm run bench:hub -- --rounds=9 --seconds=3 --only=ingest`. See README.md.
import { parseArgs } from 'node:util';
import { machineLine } from '../lib/cores.ts';
import { type Goal, printGoals } from '../lib/goals.ts';
import { LoadProcess } from './load-process.ts';
import { fanOut, fanOutByClock } from './trials/fan-out.ts';
import { ingest, ingestSocket } from './trials/ingest.ts';
import { polling } from './trials/polling.ts';
import { slowReaders } from './trials/slow-readers.ts';
import { stalledReaders } from './trials/stalled-readers.ts';
import type { Trial } from './trials/trial.ts';

const trials: Readonly<Record<string, Trial>> = {
  'fan-out': fanOut,
  'fan-out-30-fps': fanOutByClock,
  'slow-readers': slowReaders,
  'stalled-readers': stalledReaders,
  ingest,
  'ingest-socket': ingestSocket,
  polling,
};

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string', multiple: true, default: Object.keys(trials) },
  },
});

console.log(machineLine());
const load = new LoadProcess();
try {
  const goals: Goal[] = [];
  for (const name of values.only) {
    const trial = trials[name];
    if (!trial) throw new Error(`there is no trial ${name}, but ${Object.keys(trials).join(', ')}`);
    goals.push(...(await trial({ load, rounds: Number(values.rounds), seconds: Number(values.seconds) })));
  }
  console.log();
  printGoals(goals);
} finally {
  await load.stop();
}
