import { describe, expect, it } from 'vitest';
import { toTrigrams, toWords } from '../../src/memory/words.ts';

describe('toWords', () => {
  it('reads letters and digits, without case, accents and signs', () => {
    expect(toWords(`Größe: "50%" of snake_case, naïve—İstanbul's`)).toEqual([
      ...['große', '50', 'of', 'snake', 'case', 'naive', 'istanbul', 's'],
    ]);
  });

  it('reads a script without spaces by its characters, also amid other words', () => {
    expect(toWords('abc日本x')).toEqual(['abc', '日', '本', 'x']);
  });

  it('reads pictures', () => {
    expect(toWords('ok🎉👍🏽')).toEqual(['ok', '🎉', '👍']);
  });

  it('cuts what is longer than 40 characters', () => {
    expect(toWords('a'.repeat(40))).toHaveLength(1);
    expect(toWords('a'.repeat(41)).map((one) => one.length)).toEqual([40, 1]);
  });

  it('reads nothing where there is no word', () => {
    expect(toWords('% _ "\' ( ) *')).toEqual([]);
  });
});

describe('toTrigrams', () => {
  it('gives each once, with the beginning and the end of a word', () => {
    expect(toTrigrams(['ana', 'anan'])).toEqual(['_an', 'ana', 'na_', 'nan', 'an_']);
  });

  it('gives none of words below three characters, whatever their bytes', () => {
    expect(toTrigrams(['ab', '鍵', '🎉🎉'])).toEqual([]);
    expect(toTrigrams(['🎉🎉🎉'])).toHaveLength(3);
  });
});
