import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/memory/memory-store.ts';
import { fileDatabase } from '../open.ts';
import { ZipfText } from './zipf-text.ts';

describe('a search in a memory', () => {
  it('takes 2 ms among 10,000 entries, of one owner and of many', async () => {
    const database = await fileDatabase({ synchronous: 'normal' });
    const store = new MemoryStore(database, 'notes');
    await store.open();
    const text = new ZipfText(1);
    const remember = async (owner: string, count: number) => {
      for (let i = 0; i < count; i += 500)
        await database.write(
          Array.from({ length: Math.min(500, count) }, (_, j) => `${text.words(2)} ${i + j}`).flatMap((key) =>
            store.remember(owner, { key, value: text.words(12), updated_at_ms: 1 }),
          ),
        );
    };
    await remember('one', 10_000);
    for (let i = 0; i < 50; i++) await remember(`many-${i}`, 50);
    for (const ownerOf of [() => 'one', (i: number) => `many-${i % 50}`]) {
      const costs: number[] = [];
      for (let i = 0; i < 100; i++) {
        const query = text.query(i);
        // The better of two, of this process alone: neither others nor the collector of garbage count.
        const cost = async (): Promise<number> => {
          const before = process.cpuUsage();
          await store.search(ownerOf(i), query, 10);
          const { user, system } = process.cpuUsage(before);
          return (user + system) / 1_000;
        };
        costs.push(Math.min(await cost(), await cost()));
      }
      costs.sort((a, b) => a - b);
      // Three times the goal; without a bound on what is ranked it is more than that.
      expect(costs[Math.floor(costs.length * 0.95)]).toBeLessThan(6);
    }
  });
});
