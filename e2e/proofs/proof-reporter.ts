import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { requirements } from '../requirements.ts';
import { judgeProofs } from './judge-proofs.ts';

/**
 * Says how many requirements the tests that passed have proved. Where `PROOFS` names a folder, their ids are added to those
 * there, one file for each project: `check-proofs.ts` adds up those of all tiers.
 */
export default class ProofReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cited = new Map<string, Set<string>>();
    for (const { project, children } of modules)
      for (const test of children.allTests('passed'))
        for (const id of test.meta().verifies ?? [])
          cited.set(project.name, (cited.get(project.name) ?? new Set()).add(id));
    const all = new Set([...cited.values()].flatMap((ids) => [...ids]));
    const { proved, required } = judgeProofs(requirements, all);
    process.stdout.write(`proved in this run: ${proved} of ${required} requirements\n`);
    const folder = process.env['PROOFS'];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    for (const [name, ids] of cited) addTo(join(folder, `${name}.json`), ids);
  }
}

/** Files that failed are run once more: what they prove then comes to what the others have proved. */
function addTo(path: string, ids: ReadonlySet<string>): void {
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as readonly string[]) : [];
  writeFileSync(path, JSON.stringify([...new Set([...before, ...ids])].sort(), undefined, 1));
}
