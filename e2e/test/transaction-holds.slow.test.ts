import { verifies } from '@waymark/contract/testing';
import { drizzle } from '@waymark/server/drizzle';
import { describe, expect, it, onTestFinished } from 'vitest';
import { secrets } from './served.ts';
import { servedSql } from './sql-served.ts';

/** How long a transaction may be open, milliseconds, where nobody says otherwise. */
const boundMs = 5_000;

describe('handlers that hang in transactions', () => {
  it('keep a write of somebody else waiting for one of them at most, and so a transaction', async () => {
    verifies('sql.wait.sum');
    const open: (() => void)[] = [];
    let isOver = false;
    const { send } = await servedSql((app) => {
      app.apiKey('SHOP_KEY', 'attacker').apiKey('OTHER_KEY', 'neighbour');
      app.resource('notes', { text: 'string' });
      const db = drizzle(app.database);
      const hang = (): Promise<void> =>
        isOver ? Promise.resolve() : new Promise((end) => void open.push(end));
      app.post('/hang', {}, () => db.transaction(hang));
      app.post('/count', {}, () =>
        app.database.transaction((transaction) => transaction.many('select count(*) as n from notes')),
      );
    });
    onTestFinished(() => {
      isOver = true;
      for (const end of open) end();
    });
    const hanging = Array.from({ length: 10 }, () => send('POST', '/hang', { caller: secrets.SHOP_KEY }));
    onTestFinished(() => void Promise.allSettled(hanging));
    await expect.poll(() => open.length).toBe(1);
    const tookMs: number[] = [];
    const timed = async (path: string, body?: unknown): Promise<number> => {
      const beganMs = performance.now();
      const { status } = await send('POST', path, { caller: secrets.OTHER_KEY, body });
      tookMs.push(performance.now() - beganMs);
      return status;
    };
    expect(await timed('/notes', { text: 'first' })).toBe(201);
    const both = [timed('/notes', { text: 'second' }), timed('/count')];
    expect(await Promise.all(both)).toEqual([201, 200]);
    // Ten of them one after another are 50 s.
    expect(Math.max(...tookMs)).toBeLessThan(3 * boundMs);
    expect(open.length).toBeLessThan(5);
  });
});
