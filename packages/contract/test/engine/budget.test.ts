import { describe, expect, it } from 'vitest';
import { Budget, type Hold } from '../../src/engine/budget.ts';

/** A hold that was taken; a test that wants one fails where there is none. */
function taken(budget: Budget, key: string, amount: number): Hold {
  const hold = budget.take(key, amount);
  if (typeof hold === 'string') throw new Error(`used up: ${hold}`);
  return hold;
}

describe('Budget', () => {
  it.each([
    { amount: 9, answer: 'taken' },
    { amount: 10, answer: 'taken' },
    { amount: 11, answer: 'caller' },
  ])('a share of 10, and $amount wanted: $answer', ({ amount, answer }) => {
    const hold = new Budget({ perCaller: 10, total: 100 }).take('ada', amount);
    expect(typeof hold === 'string' ? hold : 'taken').toBe(answer);
  });

  it.each([
    { amount: 4, answer: 'taken' },
    { amount: 5, answer: 'taken' },
    { amount: 6, answer: 'total' },
  ])('15 in all, two callers with 5 each, and $amount wanted: $answer', ({ amount, answer }) => {
    const budget = new Budget({ perCaller: 10, total: 15 });
    taken(budget, 'ada', 5);
    taken(budget, 'bob', 5);
    const hold = budget.take('eve', amount);
    expect(typeof hold === 'string' ? hold : 'taken').toBe(answer);
  });

  it('names the share of the caller where both are used up', () => {
    const budget = new Budget({ perCaller: 10, total: 10 });
    taken(budget, 'ada', 10);
    expect([budget.take('ada', 1), budget.take('bob', 1)]).toEqual(['caller', 'total']);
  });

  it('takes nothing where it cannot take all', () => {
    const budget = new Budget({ perCaller: 10, total: 15 });
    const hold = taken(budget, 'ada', 8);
    expect([budget.take('ada', 3), hold.more(3), budget.take('bob', 9)]).toEqual([
      'caller',
      'caller',
      'total',
    ]);
    expect([budget.held, budget.heldBy('ada'), budget.heldBy('bob'), budget.callers]).toEqual([8, 8, 0, 1]);
  });

  it('takes more for the same work: under, at, over', () => {
    const budget = new Budget({ perCaller: 10, total: 100 });
    const hold = taken(budget, 'ada', 5);
    expect([hold.more(4), hold.more(1), hold.more(1)]).toEqual([undefined, undefined, 'caller']);
    expect(budget.heldBy('ada')).toBe(10);
    hold.release();
    expect(budget.held).toBe(0);
  });

  it('gives back once, however often it is told to, and takes nothing for work that is over', () => {
    const budget = new Budget({ perCaller: 10, total: 10 });
    const other = taken(budget, 'ada', 4);
    const hold = taken(budget, 'ada', 6);
    hold.release();
    hold.release();
    expect([budget.held, hold.more(1), budget.held]).toEqual([4, 'caller', 4]);
    other.release();
    expect([budget.held, budget.callers]).toEqual([0, 0]);
  });

  it('remembers only who holds something', () => {
    const budget = new Budget({ perCaller: 10, total: 1_000_000 });
    const holds = Array.from({ length: 1000 }, (_, i) => taken(budget, `caller ${i}`, i % 2));
    expect(budget.callers).toBe(500);
    for (const hold of holds) hold.release();
    expect([budget.callers, budget.held]).toEqual([0, 0]);
  });

  it.each([-1, Number.NaN])('does not take %s', (amount) => {
    const budget = new Budget({ perCaller: 10, total: 10 });
    const hold = taken(budget, 'ada', 1);
    expect(() => budget.take('ada', amount)).toThrow(RangeError);
    expect(() => hold.more(amount)).toThrow(RangeError);
    expect(budget.held).toBe(1);
  });
});
