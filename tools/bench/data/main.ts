// What SQL costs: see ../README.md. More rounds where others use the machine: `npm run bench:data -- --rounds=15`.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installFolder } from '../../lib/install.ts';
import { machineLine } from '../lib/cores.ts';
import { printGoals } from '../lib/goals.ts';
import { compareInProcess } from './compare-in-process.ts';
import { compareModules } from './compare-modules.ts';
import { compareServers } from './compare-servers.ts';
import { measureSearch } from './measure-search.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
  },
});
const effort = { rounds: Math.max(5, Number(values.rounds)), seconds: Number(values.seconds) };

installFolder(join(import.meta.dirname, 'peers'));
console.log(machineLine());
const goals = [...(await compareInProcess(Math.min(5, effort.rounds))), ...(await measureSearch())];
if (!values.quick) await compareServers(effort);
await compareModules(effort.rounds);
console.log();
printGoals(goals);
