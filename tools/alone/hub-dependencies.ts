// Counts what a device hub brings into production, in the project of the current folder; fails where that is another
// list than this one. A row is what the library is there for; what is taken into our files is in their LICENSES.txt.
import { readInstalled } from '../lib/read-installed.ts';

const ours = ['contract', 'core-routes', 'device-hub', 'embed', 'http'].map((name) => `@waymark/${name}`);

const chosen: Readonly<Record<string, string>> = {
  typebox: 'contract: the types of schemas; core-routes: the formats that an application registers',
  ws: 'http: WebSockets',
};

const expected = new Set([...ours, ...Object.keys(chosen)]);
const installed = readInstalled();
const problems = [
  ...[...installed].filter((name) => !expected.has(name)).map((name) => `${name}: nobody decided on it`),
  ...[...expected].filter((name) => !installed.has(name)).map((name) => `${name}: is not installed any more`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
const counts = `${ours.length} packages of ours, ${Object.keys(chosen).length} libraries`;
console.log(`${installed.size} production dependencies: ${counts}`);
