// What a step of a flow or a behaviour costs: `npm run bench:flows -- --rounds=9`. See README.md.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installFolder } from '../../lib/install.ts';
import { startChild } from '../agents/child.ts';
import { withFolder } from '../data/with-folder.ts';
import { machineLine, serverCore } from '../lib/cores.ts';
import { printGoals } from '../lib/goals.ts';
import { compareSteps } from './compare-steps.ts';
import { type Parked, parkedGoals } from './parked-goals.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });

try {
  installFolder(join(import.meta.dirname, '../agents/peers'));
} catch (error) {
  console.log(String(error));
}
console.log(machineLine());
await withFolder(async (folder) => {
  const goals = await compareSteps(folder, Number(values.rounds));
  const parking = await startChild<Parked>(serverCore, join(import.meta.dirname, 'parked.ts'), [folder]);
  printGoals([...goals, ...parkedGoals(parking.ready)]);
  await parking.stop();
});
