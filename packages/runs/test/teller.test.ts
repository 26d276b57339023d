import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Teller } from '../src/teller.ts';

function listen() {
  const told: number[] = [];
  const teller = new Teller(({ seq }) => told.push(seq));
  const add = (seq: number): void =>
    teller.add({ seq, kind: 'model', run_id: 'r', agent: 'clerk', at_ms: 0, duration_ms: 0 });
  return { told, teller, add };
}

describe('Teller', () => {
  it('tells what was stored together by its numbers, however it is heard of', async () => {
    const { told, add } = listen();
    for (const seq of [2, 1, 3]) add(seq);
    expect(told).toEqual([]);
    await nextTurn();
    expect(told).toEqual([1, 2, 3]);
  });

  it('keeps back what has a greater number than one whose transaction is open', async () => {
    const { told, teller, add } = listen();
    teller.expect(2);
    for (const seq of [3, 1]) add(seq);
    await nextTurn();
    expect(told).toEqual([1]);
    add(2);
    await nextTurn();
    expect(told).toEqual([1, 2, 3]);
  });

  it('goes on when the transaction was undone', async () => {
    const { told, teller, add } = listen();
    teller.expect(1);
    add(2);
    await nextTurn();
    expect(told).toEqual([]);
    teller.forget(1);
    await nextTurn();
    expect(told).toEqual([2]);
  });
});
