import { describe, expect, it } from 'vitest';
import { checkDocstrings } from '../check-docstrings.ts';
import { manifest, plant } from './plant.ts';

/** What the check says of a package whose index re-exports everything from one file. */
function findings(source: string, index = "export { a } from './a.ts';\n"): string[] {
  const root = plant({
    'packages/http/package.json': manifest('http'),
    'packages/http/src/index.ts': index,
    'packages/http/src/a.ts': source,
  });
  return checkDocstrings(root).map(({ file, line, message }) => `${file}:${line} ${message}`);
}

describe('checkDocstrings', () => {
  it.each([
    '/** Gives one. */\nexport const a = 1;\n',
    '/**\n * Gives one over\n * two lines.\n *\n * - and a list\n */\nexport function a(): void {}\n',
    '/** Adds. */\nexport function a(x: number): void;\nexport function a(x: string): void;\nexport function a(): void {}\n',
    '/** A schema. */\nexport const a = 1;\nexport type a = typeof a;\n',
    '/** Gives one. */\nconst a = 1;\nexport { a };\n',
    '/** Gives one (e.g. 1). @returns one */\nexport class a {}\n',
  ])('is content with %j', (source) => {
    expect(findings(source)).toEqual([]);
  });

  it.each([
    '\nexport const a = 1;\n',
    '\n// Gives one.\nexport const a = 1;\n',
    '\n/* Gives one. */\nexport const a = 1;\n',
    '/** Of the next line. */\nconst b = 1;\nexport const a = b;\n',
  ])('misses a docstring in %j', (source) => {
    const line = source.split('\n').findIndex((text) => text.includes(' a ')) + 1;
    expect(findings(source)).toEqual([`packages/http/src/a.ts:${line} a has no docstring`]);
  });

  it.each([
    '/** gives one */',
    '/** Gives one, e.g. 1 */',
    '/** Gives 1.5 */',
    '/**\n * Gives one\n *\n * More.\n */',
  ])('asks for a finished first sentence in %j', (docstring) => {
    expect(findings(`${docstring}\nexport const a = 1;\n`)).toEqual([
      expect.stringContaining('a has a docstring whose first sentence does not end with a period'),
    ]);
  });

  it('leaves names of third-party libraries alone', () => {
    expect(findings('', "export { Type } from 'typebox';\n")).toEqual([]);
  });
});
