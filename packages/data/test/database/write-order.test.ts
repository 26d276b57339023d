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
    writesOf: (caller: unknown, ...names: readonly string[]) => {
      for (const name of names) order.addWrite(name, caller);
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

  it('lets one write of each caller go, then another of each, those of one in their order', () => {
    verifies('sql.write.turns');
    const { writesOf, go } = ordered();
    writesOf('a', 'a1', 'a2', 'a3', 'a4', 'a5');
    writesOf('b', 'b1', 'b2');
    writesOf('c', 'c1');
    expect([go(4), go(4), go(4)]).toEqual(['a1+b1+c1+a2', 'b2+a3+a4+a5', '']);
  });

  it('begins with those who had no turn', () => {
    verifies('sql.write.turns');
    const { writesOf, go } = ordered();
    for (const caller of ['a', 'b', 'c', 'd']) writesOf(caller, `${caller}1`, `${caller}2`);
    expect([go(2), go(2), go(2), go(2), go(2)]).toEqual(['a1+b1', 'c1+d1', 'a2+b2', 'c2+d2', '']);
  });

  it('lets a write go with the next ones, however many wait of others', () => {
    verifies('sql.write.turns');
    const { writesOf, go } = ordered();
    writesOf('flood', ...numbers(1_000).map((n) => `f${n}`));
    go();
    writesOf('neighbour', 'mine');
    expect(go()).toMatch(/\+mine\b/);
  });

  it('lets none go before a transaction that came behind it, whose ever it is', () => {
    verifies('sql.write.turns', 'sql.wait.sum');
    const { writesOf, transactions, go } = ordered();
    writesOf('a', 'a1', 'a2');
    transactions('b', 't1');
    writesOf('c', 'c1');
    expect([go(), go(), go()]).toEqual(['a1+a2', 't1', 'c1']);
  });

  it('forgets writes that leave', () => {
    const { order, writesOf, go } = ordered();
    writesOf('a', 'a1');
    writesOf('b', 'b1', 'b2');
    order.leave('a1');
    order.leave('b1');
    expect([go(), go()]).toEqual(['b2', '']);
  });
});
