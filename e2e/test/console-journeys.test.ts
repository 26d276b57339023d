import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { testFiles } from '../../tools/lib/tiers.ts';

const root = join(import.meta.dirname, '../..');

/** What is done in the journeys of a file, in their words. */
function journeysIn(path: string): readonly string[] {
  const found: string[] = [];
  const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'));
  new Visitor({
    CallExpression({ callee, arguments: [does] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'journey') return;
      if (does?.type !== 'Literal' || typeof does.value !== 'string')
        throw new Error(`${path}: journey(…) takes what is done as a plain string`);
      found.push(does.value);
    },
  }).visit(program);
  return found;
}

/** What operators were promised to be able to do, as its journey says it. */
const promised: Readonly<Record<string, RegExp>> = {
  'approve and decline a nested gated call': /^approves and declines .* through its flow$/,
  'two operators racing': /^tells the later of two/,
  'watch a run through a restart': /^says that nobody answers, .* how the run went on$/,
  'chat with a picture': /^shows an agent pictures/,
  'call a gated tool from its form and be refused': /from its form that a human declined$/,
  'find the most expensive run of the day': /^finds the most expensive run of the day/,
  'see a camera die and come back': /^shows that a camera died, and that it is back$/,
  'sign out': /signed out$/,
  'expired session': /^leads from a session that ended/,
  'reader key': /^tells a key that only reads/,
};

describe('the journeys of operators', () => {
  const files = testFiles(root).filter((path) => path.startsWith('e2e/test/console'));
  const all = files.flatMap(journeysIn);

  it('are 25 or more, each from a freshly started reference application by its printed link', () => {
    verifies('console.journeys');
    expect(all.length, all.join('\n')).toBeGreaterThanOrEqual(25);
    expect(new Set(all).size).toBe(all.length);
  });

  it.each(Object.entries(promised))('have one of: %s', (_, does) => {
    verifies('console.journeys');
    expect(all.filter((one) => does.test(one))).toHaveLength(1);
  });
});
