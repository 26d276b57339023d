// Counts what a server brings into production, in the project of the current folder; fails over 80 names.
import { readInstalled } from '../lib/read-installed.ts';

const most = 80;
const installed = [...readInstalled()].sort();
console.log(`${installed.length} production dependencies`);
if (installed.length > most) {
  console.error(`more than ${most}: ${installed.join(', ')}`);
  process.exitCode = 1;
}
