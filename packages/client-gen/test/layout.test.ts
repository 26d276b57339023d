import { describe, expect, it } from 'vitest';
import { atom, declareType, intersection, list, tuple, union } from '../src/expression.ts';
import { docComment, listProperty, toSentence } from '../src/layout.ts';

const long = (letter: string) => atom(letter.repeat(60));

describe('declareType', () => {
  it('keeps on one line what fits in 110 columns, and breaks what is one longer', () => {
    const start = 'export type T = | ;'.length;
    const fitting = union([atom('a'.repeat(50)), atom('b'.repeat(110 - start - 50 - 1))]);
    expect(declareType('T', fitting)).toHaveLength(111);
    expect(declareType('TT', fitting)).toBe(
      `export type TT =\n  | ${'a'.repeat(50)}\n  | ${'b'.repeat(110 - start - 51)};\n`,
    );
  });

  it('breaks each form as the formatter does', () => {
    expect(declareType('T', intersection([long('a'), long('b'), long('c')]))).toBe(
      `export type T = ${'a'.repeat(60)} &\n  ${'b'.repeat(60)} &\n  ${'c'.repeat(60)};\n`,
    );
    expect(declareType('T', intersection([atom('a'.repeat(100)), long('b')]))).toBe(
      `export type T =\n  ${'a'.repeat(100)} &\n    ${'b'.repeat(60)};\n`,
    );
    expect(declareType('T', tuple(['a'.repeat(60), 'b'.repeat(60)], atom('c')))).toBe(
      `export type T = readonly [\n  ${'a'.repeat(60)},\n  ${'b'.repeat(60)},\n  ...c[],\n];\n`,
    );
    expect(declareType('T', list(atom('a'.repeat(100))))).toBe(
      `export type T =\n  readonly ${'a'.repeat(100)}[];\n`,
    );
  });
});

describe('docComment', () => {
  it('cannot be ended from inside', () => {
    expect(docComment('a */ b')).toBe('/** a *\\/ b */\n');
  });

  it('is nothing for no text', () => {
    expect(docComment(' \n ')).toBe('');
  });
});

describe('toSentence', () => {
  it('ends the first paragraph', () => {
    expect(toSentence('Reads\n\nmore')).toBe('Reads.\n\nmore');
    expect(toSentence('Reads!')).toBe('Reads!');
  });
});

describe('listProperty', () => {
  it('breaks a list that does not fit', () => {
    expect(listProperty('query', ["'a'"], '  ')).toBe("  query: ['a'],\n");
    const item = `'${'a'.repeat(60)}'`;
    expect(listProperty('query', [item, item], '  ')).toBe(`  query: [\n    ${item},\n    ${item},\n  ],\n`);
  });
});
