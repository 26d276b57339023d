import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { explanationsFile, generateExplanations } from '../generate-explanations.ts';
import { repositoryRoot } from '../lib/workspace.ts';

it('the committed pages of rules are those that the rules and their mistakes give', async () => {
  const text = await generateExplanations();
  expect(readFileSync(join(repositoryRoot, explanationsFile), 'utf8')).toBe(text);
  const { rules } = JSON.parse(text) as { readonly rules: readonly { code: string; example: string }[] };
  const broken = rules.filter(({ example }) => parseSync('example.ts', example).errors.length > 0);
  expect(broken.map(({ code }) => code)).toEqual([]);
});
