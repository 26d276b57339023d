// Counts what a device hub brings into production, in the project of the current folder; fails where that is another
// list than this one. A row is what the library is there for, and for those that came along, with whom.
import { readFileSync } from 'node:fs';

const ours = ['contract', 'core-routes', 'device-hub', 'embed', 'http'].map((name) => `@waymark/${name}`);

const chosen: Readonly<Record<string, string>> = {
  'find-my-way': 'core-routes: finds the route of a path',
  'ipaddr.js':
    'http: reads addresses, for proxies that are trusted and for the guard of requests to the outside',
  'lru-cache': 'http: the newest buckets of the rate limits',
  'pino-std-serializers': 'http: errors in the log, with their causes',
  'secure-json-parse': 'core-routes: refuses bodies with keys that are dangerous to merge',
  typebox: 'contract: schemas and their types; core-routes: checks values',
  ulid: 'core-routes: ids that sort by time',
  undici: 'http: requests to the outside, behind the guard of addresses',
  ws: 'http: WebSockets',
};

const broughtBy: Readonly<Record<string, readonly string[]>> = {
  'find-my-way': ['fast-deep-equal', 'fast-decode-uri-component', 'fast-querystring', 'ret', 'safe-regex2'],
};

const brought = Object.values(broughtBy).flat();
const expected = new Set([...ours, ...Object.keys(chosen), ...brought]);
const installed = readInstalled();
const problems = [
  ...[...installed].filter((name) => !expected.has(name)).map((name) => `${name}: nobody decided on it`),
  ...[...expected].filter((name) => !installed.has(name)).map((name) => `${name}: is not installed any more`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
const counts = `${ours.length} packages of ours, ${Object.keys(chosen).length} libraries, ${brought.length} of theirs`;
console.log(`${installed.size} production dependencies: ${counts}`);

/** The names in the lock file of npm, but for those that only developers need. */
function readInstalled(): ReadonlySet<string> {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  const folder = 'node_modules/';
  return new Set(
    Object.entries(lock.packages)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path]) => path.slice(path.lastIndexOf(folder) + folder.length)),
  );
}
