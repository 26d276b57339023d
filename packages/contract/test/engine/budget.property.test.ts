import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, type Hold } from '../../src/engine/budget.ts';

const size = { perCaller: 20, total: 50 };
const keys = ['ada', 'bob', 'cyd', 'dan'];

const deed = fc.oneof(
  fc.record({ does: fc.constant('take'), key: fc.constantFrom(...keys), amount: fc.nat(25) }),
  fc.record({ does: fc.constant('more'), which: fc.nat(), amount: fc.nat(25) }),
  fc.record({ does: fc.constant('release'), which: fc.nat() }),
);

describe('Budget, whatever is taken and given back', () => {
  it('agrees with a plain sum, never holds more than it may, and ends with nothing', () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 60 }), (deeds) => {
        const budget = new Budget(size);
        const holds: { readonly hold: Hold; readonly key: string; amount: number }[] = [];
        const sumOf = (of: (key: string) => boolean): number =>
          holds.filter(({ key }) => of(key)).reduce((sum, { amount }) => sum + amount, 0);
        const expected = (key: string, amount: number) => {
          if (sumOf((one) => one === key) + amount > size.perCaller) return 'caller';
          return sumOf(() => true) + amount > size.total ? 'total' : undefined;
        };
        for (const one of deeds) {
          if ('key' in one) {
            const usedUp = expected(one.key, one.amount);
            const hold = budget.take(one.key, one.amount);
            if (typeof hold === 'string') expect(hold).toBe(usedUp);
            else {
              expect(usedUp).toBeUndefined();
              holds.push({ hold, key: one.key, amount: one.amount });
            }
          } else if (holds.length > 0) {
            const index = one.which % holds.length;
            const held = holds[index];
            if (!held) continue;
            if ('amount' in one) {
              const usedUp = expected(held.key, one.amount);
              expect(held.hold.more(one.amount)).toBe(usedUp);
              if (usedUp === undefined) held.amount += one.amount;
            } else {
              held.hold.release();
              holds.splice(index, 1);
            }
          }
          const byKey = keys.map((key) => sumOf((one) => one === key));
          expect(keys.map((key) => budget.heldBy(key))).toEqual(byKey);
          expect(Math.max(...byKey)).toBeLessThanOrEqual(size.perCaller);
          expect(budget.held).toBe(sumOf(() => true));
          expect(budget.held).toBeLessThanOrEqual(size.total);
          expect(budget.callers).toBe(byKey.filter((amount) => amount > 0).length);
        }
        for (const { hold } of holds) hold.release();
        expect([budget.held, budget.callers]).toEqual([0, 0]);
      }),
    );
  });
});
