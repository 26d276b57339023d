import { memoryStores } from '@waymark/contract/memory';
import type { Outbox, Stores } from '@waymark/contract/stores';
import { describe, expect, it } from 'vitest';
import { WaitingCount } from '../src/waiting-count.ts';

/** The stores of a host, whose outbox can be asked or not. */
function host() {
  const stores = memoryStores();
  const lines: string[] = [];
  let ask: Outbox['lines'] = () => stores.outbox.lines();
  const outbox: Outbox = { ...stores.outbox, lines: () => ask() };
  const given: Stores = { ...stores, outbox };
  return {
    ...{ outbox: stores.outbox, lines },
    given: { stores: given, log: (_level: string, message: string) => void lines.push(message) },
    answer: (next: Outbox['lines']) => {
      ask = next;
    },
  };
}

describe('WaitingCount', () => {
  const desk = [{ name: 'notify:desk' }];

  it('counts what waits for the endpoints there are', async () => {
    const { given, outbox } = host();
    const count = new WaitingCount();
    expect(await count.current(given, desk)).toBe(0);
    for (const [id, endpoint] of [
      ['1', 'notify:desk'],
      ['2', 'notify:desk'],
      ['3', 'notify:gone'],
    ] as const)
      await outbox.add({ id, endpoint, body: {} }, 0);
    expect(await count.current(given, desk)).toBe(2);
  });

  it('keeps the last count while the store fails or says nothing, and says so', async () => {
    const { given, outbox, answer, lines } = host();
    const count = new WaitingCount();
    await outbox.add({ id: '1', endpoint: 'notify:desk', body: {} }, 0);
    expect(await count.current(given, desk)).toBe(1);
    answer(() => Promise.reject(new Error('away')));
    expect(await count.current(given, desk)).toBe(1);
    answer(() => new Promise(() => {}));
    expect(await count.current(given, desk)).toBe(1);
    expect(lines).toEqual(Array(2).fill('messages that wait could not be counted'));
  });
});
