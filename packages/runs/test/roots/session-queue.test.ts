import { describe, expect, it } from 'vitest';
import { SessionQueue } from '../../src/roots/session-queue.ts';

describe('SessionQueue', () => {
  it('lets turns of one session in one after the other, and others at once', async () => {
    const queue = new SessionQueue();
    const order: string[] = [];
    const leave = await queue.enter('a');
    const second = queue.enter('a').then((left) => {
      order.push('second');
      left();
    });
    const third = queue.enter('a').then((left) => {
      order.push('third');
      left();
    });
    (await queue.enter('b'))();
    order.push('other');
    leave();
    await Promise.all([second, third]);
    expect(order).toEqual(['other', 'second', 'third']);
  });
});
