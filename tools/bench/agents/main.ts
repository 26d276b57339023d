// What a run of an agent costs: `npm run bench:agents -- --rounds=9`. See README.md.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installFolder } from '../../lib/install.ts';
import { withFolder } from '../data/with-folder.ts';
import { machineLine, serverCore } from '../lib/cores.ts';
import { printGoals } from '../lib/goals.ts';
import { startChild } from './child.ts';
import { coldImport } from './cold-import.ts';
import { compareInProcess } from './compare-in-process.ts';
import { compareOverHttp } from './compare-over-http.ts';
import { compareFollowers } from './followers/compare-followers.ts';
import { startModelServer } from './model-server.ts';
import { type Parked, parkedGoals } from './parked-goals.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);

try {
  installFolder(join(import.meta.dirname, 'peers'));
} catch (error) {
  console.log(String(error));
}
console.log(machineLine());
await withFolder(async (folder) => {
  const models = await startModelServer();
  try {
    const goals = [
      ...(await compareInProcess(models, folder, rounds)),
      ...(await compareOverHttp(models, folder, rounds)),
      ...(await compareFollowers(models, folder, Math.min(rounds, 5))),
    ];
    const parking = await startChild<Parked>(serverCore, join(import.meta.dirname, 'parked.ts'), [folder]);
    printGoals([...goals, ...parkedGoals(parking.ready), ...coldImport()]);
    await parking.stop();
  } finally {
    await models.stop();
  }
});
