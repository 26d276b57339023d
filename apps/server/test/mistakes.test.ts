import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '@waymark/contract';
import { toFinding, toProblemLine } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import { type Application, DeclarationError } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { declarationRules } from '../src/check/declaration-rules.ts';
import { applyEarlier, type Mistake } from './fixtures/mistake.ts';

const folder = join(import.meta.dirname, 'fixtures', 'mistakes');
const codes = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));

const load = async (code: string): Promise<Mistake> =>
  ((await import(`./fixtures/mistakes/${code}.ts`)) as { readonly mistake: Mistake }).mistake;

/** The place that a fixture marks. */
function placeOf(code: string): { readonly file: string; readonly line: number } {
  const lines = readFileSync(join(folder, `${code}.ts`), 'utf8').split('\n');
  const file = `apps/server/test/fixtures/mistakes/${code}.ts`;
  return { file, line: lines.findIndex((line) => line.trim() === '// wrong:') + 2 };
}

function toPlace(at: string): { readonly file: string; readonly line: number } {
  const [file = '', line] = at.split(':');
  return { file, line: Number(line) };
}

/** What is asked stands in what is reported: there is no more to say. */
const saysItself: ReadonlySet<string> = new Set(['tool-header']);

/** The line without its place, and without what depends on lines and hashes. */
function lineOf(problem: Problem): string {
  const { at: _, ...rest } = problem;
  return toProblemLine(rest)
    .replace(/apps\/server\/test\/fixtures\/mistakes\/[\w-]+\.ts:\d+/, '<before>')
    .replace(/_[0-9a-z]{6}"/, '_<hash>"')
    .replace(/about \d+ tokens/, 'about <many> tokens');
}

/** What a start finds that the check did not. */
async function startProblems(app: Application): Promise<readonly Problem[]> {
  expect(app.check()).toEqual([]);
  const error: unknown = await app.listen().catch((reason: unknown) => reason);
  return error instanceof DeclarationError ? error.problems : [];
}

describe('the rules of declarations', () => {
  it('have a fixture each, and each fixture has a rule', () => {
    expect([...codes].sort()).toEqual(Object.keys(declarationRules).sort());
  });

  it('are many, have a stable word and one finished sentence', () => {
    expect(codes.length).toBeGreaterThanOrEqual(40);
    for (const [code, text] of Object.entries(declarationRules)) {
      expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(text).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe('a declaration that breaks the rule', () => {
  it.each(codes)('%s is reported with its line, its rule and its fix', async (code) => {
    verifies('boot.error.place', 'boot.error.rule', 'boot.error.nearest', 'boot.error.fix');
    verifies('boot.error.code', 'boot.nothing-waits');
    const { make, report, at, foundAt, earlier } = await load(code);
    const app = make();
    if (earlier) await applyEarlier(app.upkeep().database ?? '', earlier);
    const problems = foundAt === 'start' ? await startProblems(app) : app.check();
    expect(problems.map(lineOf)).toEqual([report]);
    const [finding] = problems.map(toFinding);
    expect(finding).toMatchObject({ code, at: at === undefined ? placeOf(code) : toPlace(at) });
    if (!saysItself.has(code)) expect(finding?.fix).toMatch(/\S/);
    if (finding?.severity === 'warning') return;
    // The line says all of it, for whoever reads no more than that; and nothing has listened.
    const error: unknown = await app.listen().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeclarationError);
    expect((error as DeclarationError).findings).toEqual([finding]);
  });
});
