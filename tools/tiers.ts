// Which tests are run when: `npm run tiers`. Files of each tier, the requirements they cite, and how many of those nobody
// else cites; with the name of a tier, its files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { citedIds } from '../e2e/cited-ids.ts';
import { type Tier, testFiles, tiers, tiersOf } from './lib/tiers.ts';
import { repositoryRoot } from './lib/workspace.ts';

const asked = process.argv[2];
const filesOf = new Map<Tier, string[]>(tiers.map((tier) => [tier, []]));
const tiersOfId = new Map<string, Set<Tier>>();
for (const path of testFiles(repositoryRoot)) {
  const ids = citedIds(path, readFileSync(join(repositoryRoot, path), 'utf8'));
  for (const tier of tiersOf(path)) {
    filesOf.get(tier)?.push(path);
    for (const id of ids) tiersOfId.set(id, (tiersOfId.get(id) ?? new Set()).add(tier));
  }
}
if (asked === undefined) {
  console.log('tier    files  requirements  cited there alone');
  for (const tier of tiers) {
    const cited = [...tiersOfId.values()].filter((those) => those.has(tier));
    const alone = cited.filter(({ size }) => size === 1);
    const numbers = [
      String(filesOf.get(tier)?.length).padStart(5),
      String(cited.length).padStart(12),
      String(alone.length).padStart(17),
    ];
    console.log(`${tier.padEnd(6)}  ${numbers.join('  ')}`);
  }
  console.log(`${tiersOfId.size} requirements are cited`);
} else
  for (const path of filesOf.get(asked as Tier) ?? [`no tier "${asked}"; write ${tiers.join(', ')}`])
    console.log(path);
