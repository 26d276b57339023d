import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonLimits, jsonExcess, jsonExcessPieces } from '../../src/http/json-excess.ts';

/** Values as a parser finds them: the outermost one, items and members. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + countOf(one), 1);
}

function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

function inPieces(text: string, limits: JsonLimits) {
  const pieces = jsonExcessPieces(text, limits);
  for (let rests = 0; ; rests++) {
    const { done, value } = pieces.next();
    if (done) return { excess: value, isLong: rests > 5 };
  }
}

const words = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', ':', ' ', 'a') });
const values = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 6 },
    words,
    fc.integer(),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(words, tie('node'), { maxKeys: 4 }),
  ),
})).node;

describe('jsonExcess', () => {
  it.each(Array.from({ length: 40 }, (_, n) => n))('finds a mark %i characters behind another', (blanks) => {
    const gap = ' '.repeat(blanks);
    for (const text of [
      `[1${gap},${gap}2,${gap}{"é":${gap}[${gap}]${gap}}]`,
      `[${'9'.repeat(blanks + 1)},1,{"é":[]}]`,
    ])
      for (const most of [4, 5])
        expect(jsonExcess(text, { levels: 3, values: most })).toBe(most < 5 ? 'values' : undefined);
    expect(jsonExcess(`[${gap}[${gap}[`, { levels: 2, values: 9 })).toBe('levels');
  });

  it('counts what a parser finds, however it is spaced and whatever strings hold', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const parsed: unknown = JSON.parse(text);
        const [count, levels] = [countOf(parsed), levelsOf(parsed)];
        expect(jsonExcess(text, { levels, values: count })).toBeUndefined();
        if (count > 1) expect(jsonExcess(text, { levels, values: count - 1 })).toBe('values');
        if (levels > 0) expect(jsonExcess(text, { levels: levels - 1, values: count })).toBe('levels');
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [
      'numbers',
      (count: number) =>
        `[${Array(count - 1)
          .fill('0')
          .join(',')}]`,
    ],
    [
      'empty objects',
      (count: number) =>
        `[${Array(count - 1)
          .fill('{}')
          .join(' , ')}]`,
    ],
    ['members', (count: number) => `{${Array.from({ length: count - 1 }, (_, i) => `"${i}":1`).join(',')}}`],
    [
      'lists in lists',
      (count: number) =>
        `[${Array((count - 1) / 3)
          .fill('[1,2]')
          .join(',')}]`,
    ],
  ])('takes 100,000 values and not 100,003: %s', (_, textOf) => {
    const limits = { levels: 64, values: 100_000 };
    expect(jsonExcess(textOf(99_997), limits)).toBeUndefined();
    expect(jsonExcess(textOf(100_000), limits)).toBeUndefined();
    expect(jsonExcess(textOf(100_003), limits)).toBe('values');
    expect(inPieces(textOf(100_000), limits).excess).toBeUndefined();
    expect(inPieces(textOf(100_003), limits)).toEqual({ excess: 'values', isLong: true });
  });

  it('rests where there is nothing to count, in pieces', () => {
    expect(inPieces('[1,[2]]', { levels: 2, values: 5 })).toEqual({ excess: undefined, isLong: false });
    expect(inPieces('[1,[2]]', { levels: 1, values: 5 })).toEqual({ excess: 'levels', isLong: false });
  });

  it('finds the end of what is no JSON', () => {
    const limits = { levels: 2, values: 5 };
    for (const text of [
      '"',
      '"\\',
      '"\\"',
      '["a',
      ']]]]]]]]]]]]',
      '[[]',
      ' [ ',
      ' '.repeat(20),
      '\\"[[[',
      '',
    ])
      expect(jsonExcess(text, limits), text).toBeUndefined();
    expect(jsonExcess('[[[', limits)).toBe('levels');
    expect(jsonExcess(',,,,,,,,,,,,', limits)).toBe('values');
    expect(jsonExcess('[]'.repeat(13), limits)).toBe('values');
    expect(jsonExcess('""'.repeat(26), limits)).toBe('values');
  });

  it.each(['"', '\\', '\\"', '[', '[ ', '{"', '"\\\\",', ' ', '[]', '""', '0,'])(
    'is soon done with a text of %j',
    (unit) => {
      const limits = { levels: 64, values: 100_000 };
      const text = unit.repeat(8_388_608 / unit.length);
      const before = process.cpuUsage();
      jsonExcess(text, limits);
      jsonExcess(`["${text}`, limits);
      jsonExcess(`"\\\\${text}`, limits);
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_500);
    },
  );
});
