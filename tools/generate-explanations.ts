// Writes apps/server/explanations.json, which `waymark explain` reads, from the rule books and the programs that break each
// rule; `--check` fails when it is not fresh.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Feature, toFinding } from '@waymark/contract/declaring';
import { declarationRules } from '../apps/server/src/check/declaration-rules.ts';
import type { Explanation } from '../apps/server/src/cli/explain/explanation.ts';
import { features } from '../apps/server/src/declaring/features.ts';
import type { Mistake } from '../apps/server/test/fixtures/mistake.ts';
import { mistakeExample, mistakesFolder } from './lib/mistake-example.ts';
import { repositoryRoot } from './lib/workspace.ts';

/** The generated file, relative to the root. */
export const explanationsFile = 'apps/server/explanations.json';

/** The pages of all rules, as they follow from the sources now. */
export async function generateExplanations(): Promise<string> {
  const codes = Object.keys(declarationRules).toSorted();
  const rules = await Promise.all(codes.map(explain));
  const from = `npm run explanations, from the rule books and ${mistakesFolder}`;
  return `${JSON.stringify({ generated: from, rules }, null, 2)}\n`;
}

async function explain(code: string): Promise<Explanation> {
  const { mistake } = (await import(join(repositoryRoot, mistakesFolder, `${code}.ts`))) as {
    readonly mistake: Mistake;
  };
  const { report } = mistake;
  const { severity, fix } = found(mistake);
  return {
    ...{ code, about: aboutOf(code), severity, rule: declarationRules[code] ?? '' },
    ...mistakeExample(repositoryRoot, code),
    report,
    ...(fix !== undefined && { fix }),
  };
}

/** What the check says of a mistake; what only a start finds needs a database, and is always an error. */
function found({ make, report, foundAt }: Mistake): Pick<Explanation, 'severity' | 'fix'> {
  if (foundAt === 'start') return { severity: 'error', fix: report.slice(report.lastIndexOf('; ') + 2) };
  const [problem] = make().check();
  if (!problem) throw new Error(`nothing is wrong: ${report}`);
  const { severity, fix } = toFinding(problem);
  return { severity: severity === 'error' ? 'error' : 'warning', ...(fix !== undefined && { fix }) };
}

/** The feature whose book has the rule. */
function aboutOf(code: string): string {
  const owner = features.find(({ rules = {} }: Feature) => Object.hasOwn(rules, code));
  return owner?.name ?? 'application';
}

if (import.meta.main) {
  const path = join(repositoryRoot, explanationsFile);
  const text = await generateExplanations();
  const fresh = existsSync(path) && readFileSync(path, 'utf8') === text;
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (!fresh) {
    console.error(`${explanationsFile} is not what the rules give: npm run explanations`);
    process.exitCode = 1;
  }
}
