// Measures how programs start on what was built of the packages: `npm run bench:start [-- --rounds 9]`.
import { parseArgs } from 'node:util';
import { bringUp } from '../../lib/bring-up.ts';
import { repositoryRoot } from '../../lib/workspace.ts';
import { machineLine } from '../lib/cores.ts';
import { type Goal, printGoals } from '../lib/goals.ts';
import { measureImport } from '../models/import-cost.ts';
import { measureReload } from './measure-reload.ts';
import { bare, countModules, example, hello, measureStart, npmStart } from './start-programs.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const rounds = Number(values.rounds);

console.log(machineLine());
await bringUp(repositoryRoot, (line) => console.log(line));
const goals: Goal[] = [];
for (const subject of [bare, hello, example, npmStart]) {
  const { cpuMs, rssMb } = await measureStart(subject, rounds);
  const modules = await countModules(subject);
  console.log(
    `${subject.name.padEnd(9)} ${cpuMs.toFixed(0).padStart(4)} ms of CPU, ${rssMb.toFixed(0)} MB, ${modules} modules`,
  );
  if (subject === hello) {
    goals.push({ name: 'start-hello', measured: cpuMs, op: '<=', target: 250, unit: 'ms' });
    goals.push({ name: 'start-hello-memory', measured: rssMb, op: '<=', target: 110, unit: 'MB' });
  }
  if (subject === example) {
    goals.push({ name: 'start-reference', measured: cpuMs, op: '<=', target: 450, unit: 'ms' });
    goals.push({ name: 'start-reference-modules', measured: modules, op: '<=', target: 600 });
    goals.push({ name: 'start-reference-memory', measured: rssMb, op: '<=', target: 110, unit: 'MB' });
  }
}
const reloadMs = await measureReload(rounds);
goals.push({ name: 'dev-reload', measured: reloadMs, op: '<=', target: 250, unit: 'ms' });
const { own } = await measureImport(rounds);
goals.push({ name: 'models-import', measured: own, op: '<=', target: 40, unit: 'ms' });
printGoals(goals);
