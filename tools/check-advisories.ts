// Known weaknesses of the packages that run in production: `npm run advisories`. Fails from `high` on.
import { spawnSync } from 'node:child_process';

interface Audit {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
const { metadata, vulnerabilities = {} } = readAudit(stdout);
if (!metadata) console.log('advisories: not checked, the registry does not tell them');
else {
  const grave = Object.entries(vulnerabilities).filter(([, { severity }]) =>
    /^(?:high|critical)$/.test(severity),
  );
  for (const [name, { severity, range }] of grave) console.log(`  ${name} ${range}: ${severity}`);
  const { total = 0 } = metadata.vulnerabilities;
  console.log(
    grave.length === 0 ? `advisories: ok, ${total} below high` : `advisories: ${grave.length} to put right`,
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
