import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { WriteOrder } from '../../src/database/driver/write-order.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** An order of jobs with names; `go` takes whatever is next, which is done at once. */
function ordered() {
  const order = new WriteOrder<string>();
  return {
    order,
    writes: (...names: readonly string[]) => {
      for (const name of names) order.addWrite(name);
    },
    transactions: (caller: unknown, ...names: readonly string[]) => {
      for (const name of names) order.addTransaction(name, caller);
    },
    go: (most = 32): string => {
      const jobs = order.next(most);
      for (const job of jobs) {
        order.end(job);
        order.leave(job);
      }
      return jobs.join('+');
    },
  };
}

describe('WriteOrder', () => {
  it('is that in which they came, where nobody has waited for a transaction', () => {
    const { writes, transactions, go } = ordered();
    writes('w1', 'w2');
    transactions('a', 't1');
    expect([go(1), go(1), go(1), go(1)]).toEqual(['w1', 'w2', 't1', '']);
    transactions('a', 't2');
    writes('w3');
    expect([go(), go(), go()]).toEqual(['t2', 'w3', '']);
  });

  it('lets all go before the next transaction that waited when the last one ended, and none that came later', () => {
    verifies('sql.wait.sum');
    const { order, writes, transactions, go } = ordered();
    transactions('a', 't1', 't2', 't3');
    expect(order.next(32)).toEqual(['t1']);
    writes(...numbers(34).map((n) => `w${n}`));
    go();
    const before = [go(), go()].map((names) => names.split('+').length);
    expect(before).toEqual([32, 2]);
    writes('late');
    // It goes between: nobody starves.
    expect([go(), go(), go(), go()]).toEqual(['t2', 'late', 't3', '']);
  });

  it('gives a transaction its turn however many writes come', () => {
    verifies('sql.wait.sum');
    const { writes, transactions, go } = ordered();
    transactions('a', 't1', 't2');
    const seen = numbers(6).map((n) => {
      writes(`w${n}`);
      return go(1);
    });
    expect(seen).toEqual(['t1', 'w0', 't2', 'w1', 'w2', 'w3']);
  });

  it('lets each caller have one transaction, then the next caller', () => {
    verifies('sql.wait.sum');
    const { order, transactions, go } = ordered();
    transactions('a', 'a1', 'a2', 'a3');
    transactions('b', 'b1');
    transactions(undefined, 'n1', 'n2');
    order.leave('n1');
    order.leave('nobody');
    expect([go(), go(), go(), go(), go(), go()]).toEqual(['a1', 'b1', 'n2', 'a2', 'a3', '']);
  });
});
