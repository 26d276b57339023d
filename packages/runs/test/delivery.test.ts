import { describe, expect, it } from 'vitest';
import { Delivery } from '../src/delivery.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Delivery', () => {
  it('delivers recorded steps in the order in which they were stored, whatever order they are asked for', async () => {
    const delivery = new Delivery([3, 1, 2]);
    const seen: number[] = [];
    for (const seq of [1, 2, 3]) delivery.ask(seq, () => seen.push(seq));
    for (let i = 0; i < 4; i++) await turn();
    expect(seen).toEqual([3, 1, 2]);
  });

  it('never delivers inside the call that asks, and one for each turn of the event loop', async () => {
    const delivery = new Delivery([0, 1]);
    const seen: string[] = [];
    delivery.ask(0, () => {
      seen.push('first');
      void Promise.resolve()
        .then(() => {})
        .then(() => seen.push('what follows the first'));
    });
    delivery.ask(1, () => seen.push('second'));
    expect(seen).toEqual([]);
    for (let i = 0; i < 3; i++) await turn();
    expect(seen).toEqual(['first', 'what follows the first', 'second']);
  });

  it('waits for the next recorded step to be asked for, and says which', async () => {
    const delivery = new Delivery([5, 6]);
    const seen: string[] = [];
    delivery.ask(6, () => seen.push('6'));
    delivery.add(9, () => seen.push('live'));
    await turn();
    expect(seen).toEqual([]);
    expect(delivery.awaited).toBe(5);
    expect(delivery.replaying).toBe(true);
    delivery.ask(5, () => seen.push('5'));
    for (let i = 0; i < 4; i++) await turn();
    expect(seen).toEqual(['5', '6', 'live']);
    expect(delivery.awaited).toBeUndefined();
    expect(delivery.replaying).toBe(false);
  });

  it('delivers results of this leg by their numbers', async () => {
    const delivery = new Delivery([]);
    const seen: number[] = [];
    for (const ord of [4, 2, 3]) delivery.add(ord, () => seen.push(ord));
    for (let i = 0; i < 4; i++) await turn();
    expect(seen).toEqual([2, 3, 4]);
  });

  it('holds back what was stored after a transaction that is still open', async () => {
    const delivery = new Delivery([]);
    const seen: number[] = [];
    delivery.expect(2);
    delivery.add(3, () => seen.push(3));
    delivery.add(1, () => seen.push(1));
    for (let i = 0; i < 3; i++) await turn();
    expect(seen).toEqual([1]);
    delivery.add(2, () => seen.push(2));
    for (let i = 0; i < 3; i++) await turn();
    expect(seen).toEqual([1, 2, 3]);
  });

  it('goes on when that transaction is undone', async () => {
    const delivery = new Delivery([]);
    const seen: number[] = [];
    delivery.expect(2);
    delivery.add(3, () => seen.push(3));
    await turn();
    delivery.forget(2);
    await turn();
    expect(seen).toEqual([3]);
  });

  it('delivers nothing after it was dropped', async () => {
    const delivery = new Delivery([0]);
    const seen: number[] = [];
    delivery.ask(0, () => seen.push(0));
    delivery.drop();
    delivery.add(1, () => seen.push(1));
    for (let i = 0; i < 3; i++) await turn();
    expect(seen).toEqual([]);
  });
});
