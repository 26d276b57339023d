// What a request costs: see ../README.md. More rounds where others use the machine: `npm run bench:http -- --rounds=15`.
import { parseArgs } from 'node:util';
import { machineLine } from '../lib/cores.ts';
import { printGoals } from '../lib/goals.ts';
import { compareServers } from './compare-servers.ts';
import { compareSizes } from './compare-sizes.ts';
import { measureBoot } from './measure-boot.ts';
import { measureToolCall } from './measure-tool-call.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, blocks: { type: 'string', default: '300' } },
});
const effort = { rounds: Math.max(5, Number(values.rounds)), blocks: Number(values.blocks) };

console.log(machineLine());
const goals = [
  ...(await compareServers(effort)),
  ...(await compareSizes(effort)),
  await measureBoot(5),
  await measureToolCall(effort.rounds),
];
console.log();
printGoals(goals);
