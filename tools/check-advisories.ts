// Known weaknesses of what runs in production: `npm run advisories`. Fails from `high` on.
import { spawnSync } from 'node:child_process';
import { bringUp } from './lib/bring-up.ts';
import { readRunning } from './lib/what-runs.ts';
import { repositoryRoot } from './lib/workspace.ts';

interface Audit {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', cwd: repositoryRoot });
const { metadata, vulnerabilities = {} } = readAudit(stdout);
if (!metadata) console.log('advisories: not checked, the registry does not tell them');
else {
  await bringUp(repositoryRoot, (line) => console.log(line));
  const running = new Set([...readRunning(repositoryRoot)].map((one) => one.slice(0, one.lastIndexOf('@'))));
  const found = Object.entries(vulnerabilities).filter(([name]) => running.has(name));
  const grave = found.filter(([, { severity }]) => /^(?:high|critical)$/.test(severity));
  for (const [name, { severity, range }] of grave) console.log(`  ${name} ${range}: ${severity}`);
  console.log(
    grave.length === 0
      ? `advisories: ok, ${found.length} below high`
      : `advisories: ${grave.length} to put right`,
  );
  process.exitCode = grave.length === 0 ? 0 : 1;
}

/** A registry without the endpoint, or no network at all, is an answer without `metadata`. */
function readAudit(text: string): Audit {
  try {
    return JSON.parse(text) as Audit;
  } catch {
    return {};
  }
}
