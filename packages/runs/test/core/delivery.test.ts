import { describe, expect, it } from 'vitest';
import { Delivery } from '../../src/core/delivery.ts';

const step = (seq: number) => ({ seq });

/** All that can be delivered now. */
function takeAll(delivery: Delivery<{ readonly seq: number }>): readonly number[] {
  const taken: number[] = [];
  for (let one = delivery.take(); one; one = delivery.take()) taken.push(one.seq);
  return taken;
}

describe('Delivery', () => {
  it('delivers recorded steps in the order in which they were stored, whatever order they are asked for', () => {
    const delivery = new Delivery([3, 1, 2]);
    for (const seq of [1, 2, 3]) delivery.ask(step(seq));
    expect(takeAll(delivery)).toEqual([3, 1, 2]);
  });

  it('waits for the next recorded step to be asked for, and says which', () => {
    const delivery = new Delivery([5, 6]);
    delivery.ask(step(6));
    delivery.add(9, step(7));
    expect(delivery.first).toBeUndefined();
    expect(takeAll(delivery)).toEqual([]);
    expect(delivery.awaited).toBe(5);
    expect(delivery.replaying).toBe(true);
    delivery.ask(step(5));
    expect(takeAll(delivery)).toEqual([5, 6, 7]);
    expect(delivery.awaited).toBeUndefined();
    expect(delivery.replaying).toBe(false);
  });

  it('delivers results of this leg by their numbers', () => {
    const delivery = new Delivery([]);
    for (const ord of [4, 2, 3]) delivery.add(ord, step(ord));
    expect(takeAll(delivery)).toEqual([2, 3, 4]);
  });

  it('holds back what was stored after a transaction that is still open', () => {
    const delivery = new Delivery([]);
    delivery.expect(2);
    delivery.add(3, step(3));
    delivery.add(1, step(1));
    expect(takeAll(delivery)).toEqual([1]);
    delivery.add(2, step(2));
    expect(takeAll(delivery)).toEqual([2, 3]);
  });

  it('goes on when that transaction is undone', () => {
    const delivery = new Delivery([]);
    delivery.expect(2);
    delivery.add(3, step(3));
    expect(takeAll(delivery)).toEqual([]);
    delivery.forget(2);
    expect(takeAll(delivery)).toEqual([3]);
  });

  it('lets go of what was not delivered when it is dropped', () => {
    const delivery = new Delivery([0]);
    delivery.ask(step(0));
    delivery.add(1, step(1));
    delivery.drop();
    expect(takeAll(delivery)).toEqual([]);
  });
});
