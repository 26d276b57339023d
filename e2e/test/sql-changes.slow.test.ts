import { Type } from '@waymark/contract';
import { byTier, verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { servedSql } from './sql-served.ts';

const counters = (app: Application) =>
  app.resource('counters', { n: 'integer', label: Type.Optional(Type.String()) }, { tools: true });

/** Each reads again whenever another one was first: what they cost grows with their square. */
const atOnce = byTier({ quick: 20, slow: 20, drill: 50 });

describe('several callers who change one row', () => {
  it(`lose nothing with If-Match: ${atOnce} increments at once are as many, and each loser is told`, async () => {
    verifies('resource.if-match', 'http.status.412');
    const { send } = await servedSql(counters);
    await send('POST', '/counters', { body: { n: 0 } });
    let refusals = 0;
    let unconditional = 0;
    const increment = async (): Promise<void> => {
      for (;;) {
        const read = await send('GET', '/counters/1');
        const { n } = read.value as { readonly n: number };
        const headers = { 'if-match': read.headers.get('etag') ?? '' };
        const changed = await send('PATCH', '/counters/1', { body: { n: n + 1 }, headers });
        if (changed.status === 200) {
          expect(changed.value).toMatchObject({ n: n + 1 });
          unconditional += 1;
          return;
        }
        expect([changed.status, changed.value]).toEqual([
          412,
          expect.objectContaining({ detail: 'the row has changed since it was read' }),
        ]);
        refusals++;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, increment));
    expect(unconditional).toBe(atOnce);
    expect((await send('GET', '/counters/1')).value).toMatchObject({ n: atOnce });
    // All of them read the same row at first; without losers nothing would have been shown.
    expect(refusals).toBeGreaterThan(0);
  });

  it('would lose some without it', async () => {
    const { send } = await servedSql(counters);
    await send('POST', '/counters', { body: { n: 0 } });
    const increment = async (): Promise<void> => {
      const { n } = (await send('GET', '/counters/1')).value as { readonly n: number };
      await send('PATCH', '/counters/1', { body: { n: n + 1 } });
    };
    await Promise.all(Array.from({ length: atOnce }, increment));
    const { n } = (await send('GET', '/counters/1')).value as { readonly n: number };
    expect(n).toBeLessThan(atOnce);
  });

  it('lose nothing where SQL does the adding', async () => {
    const add = (app: Application) =>
      app.query('POST', '/counters/{id}/add', 'update counters set n = n + 1 where id = :id', {
        params: { id: 'integer' },
        returns: 'affected',
      });
    const { send } = await servedSql(counters, add);
    await send('POST', '/counters', { body: { n: 0 } });
    await Promise.all(Array.from({ length: 200 }, () => send('POST', '/counters/1/add')));
    expect((await send('GET', '/counters/1')).value).toMatchObject({ n: 200 });
  });
});
