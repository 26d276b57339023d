import { describe, expect, it } from 'vitest';
import { planSearch } from '../../src/memory/search-plan.ts';

const term = (expression: string, entries: number) => ({ expression, entries });

describe('planSearch', () => {
  it('looks for any of the words as long as their entries can all be ranked', () => {
    const plan = planSearch([term('"a"', 200), term('"b"', 100)], 300);
    expect(plan).toEqual({ narrow: '("b") OR ("a")', wide: '("b") OR ("a")' });
    expect(planSearch([], 300)).toBeUndefined();
  });

  it('asks for two words where one entry more would be too much', () => {
    expect(planSearch([term('"a"', 301), term('"b"', 300), term('"c"', 302)], 300)).toEqual({
      narrow: '("b") OR (("a") AND (("c")))',
      wide: '("b") OR ("a") OR ("c")',
    });
  });

  it('takes a frequent word alone from keys first', () => {
    expect(planSearch([term('"a"', 301)], 300)).toEqual({ narrow: '{key} : ("a")', wide: '("a")' });
  });

  it('leaves a word that is nearly everywhere out where there are others', () => {
    const everywhere = term('"e"', 2_000);
    expect(planSearch([everywhere, term('"a"', 1)], 300)).toEqual({ narrow: '("a")', wide: '("a")' });
    expect(planSearch([term('"e"', 1_999), term('"a"', 1)], 300)?.wide).toBe('("a") OR ("e")');
    expect(planSearch([everywhere], 300)?.wide).toBe('("e")');
  });

  it('looks for four frequent words at most', () => {
    const many = Array.from({ length: 16 }, (_, i) => term(`"${i}"`, 1_000 + i));
    expect(planSearch(many, 300)?.wide).toBe('("0") OR ("1") OR ("2") OR ("3")');
  });
});
