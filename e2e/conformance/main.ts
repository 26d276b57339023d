// The official conformance suites and the official Inspector against the composed server: `npm run conformance`.
// Once against one process, once against two behind a proxy. The last line is `N passed, N failed`, over all checks.
import { join } from 'node:path';
import { installFolder } from '../../tools/lib/install.ts';
import { type Served, servedBy } from '../test/mcp/served-by.ts';
import { judge, unusedExcuses } from './judge.ts';
import { runInspector } from './run-inspector.ts';
import { type Offered, offeredScenarios, runSuite, type ScenarioResult } from './run-suite.ts';
import type { Verdict } from './verdict.ts';

const folders = {
  suite: join(import.meta.dirname, 'suite'),
  inspector: join(import.meta.dirname, 'inspector'),
};
for (const folder of Object.values(folders)) installFolder(folder);

const inspector = join(
  folders.inspector,
  'node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js',
);
const suites = await Promise.all(
  ['conformance-stable', 'conformance-alpha'].map(async (name) => {
    const program = join(folders.suite, 'node_modules', name, 'dist/index.js');
    return { name, program, offered: await offeredScenarios(program) };
  }),
);

let passed = 0;
const failures: string[] = [];
const results: ScenarioResult[] = [];
for (const processes of [1, 2]) {
  console.log(`== ${processes === 1 ? 'one process' : `${processes} processes behind a proxy`}`);
  const served = await servedBy('e2e/test/mcp/serve-fixture.ts', processes);
  try {
    await holdAgainst(served);
  } finally {
    await served.close();
  }
}
const offered = suites.flatMap((suite) => suite.offered);
failures.push(...unusedExcuses(offered, results));
for (const line of failures) console.log(line);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;

async function holdAgainst(served: Served): Promise<void> {
  const url = `${served.url}/_svc/mcp`;
  const runs = suites.flatMap(({ name, program, offered }) =>
    datesOf(offered).map(async (revision) => {
      const found = await runSuite(program, url, revision);
      results.push(...found);
      return { title: `${name} ${revision}`, verdict: judge(revision, offered, found) };
    }),
  );
  for (const { title, verdict } of await Promise.all(runs)) tell(title, verdict);
  // `auto` finds out that 2026-07-28 is served, and stays with it.
  for (const era of ['legacy', 'auto']) tell(`inspector ${era}`, await runInspector(inspector, url, era));
}

function tell(title: string, verdict: Verdict): void {
  console.log(`${title}: ${verdict.passed} passed, ${verdict.failures.length} failed`);
  passed += verdict.passed;
  failures.push(...verdict.failures.map((line) => `${title}: ${line}`));
}

function datesOf(offered: readonly Offered[]): readonly string[] {
  const revisions = new Set(offered.flatMap((offer) => offer.revisions));
  return [...revisions].filter((revision) => /^\d{4}-\d\d-\d\d$/.test(revision)).sort();
}
