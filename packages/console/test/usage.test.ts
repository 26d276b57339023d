import { describe, expect, it } from 'vitest';
import { groupBy, mostDrawn, others, sumUp, toQuestion, toStack } from '../browser/pages/usage/spend.ts';

const cell = (more: object) => ({
  ...{ time: '2026-03-01', caller: 'ann', model: 'x/large', calls: 1 },
  ...{ input_tokens: 10, output_tokens: 2, cache_read_tokens: 5, cache_write_tokens: 0, cost_usd: 0.5 },
  ...more,
});

describe('what was spent', () => {
  it('is added up by caller, model and time, the dearest and the newest first', () => {
    const cells = [
      cell({}),
      cell({ caller: 'ben', cost_usd: 3 }),
      cell({ time: '2026-03-02', model: 'x/small', cost_usd: 1 }),
    ];
    expect(groupBy(cells, 'caller').map(({ name, costUsd }) => [name, costUsd])).toEqual([
      ['ben', 3],
      ['ann', 1.5],
    ]);
    expect(groupBy(cells, 'time').map(({ name }) => name)).toEqual(['2026-03-02', '2026-03-01']);
    expect(sumUp(cells)).toMatchObject({
      calls: 3,
      inputTokens: 30,
      cachedTokens: 15,
      outputTokens: 6,
      costUsd: 4.5,
    });
  });

  it('has no price as soon as a part has none', () => {
    expect(sumUp([cell({}), cell({ cost_usd: null })]).costUsd).toBeNull();
    expect(groupBy([cell({}), cell({ caller: 'ben', cost_usd: null })], 'caller')).toMatchObject([
      { name: 'ann', costUsd: 0.5 },
      { name: 'ben', costUsd: null },
    ]);
  });

  it('stands on each other in a chart, span by span and without a gap', () => {
    const { times, parts } = toStack(
      [cell({}), cell({ caller: 'ben', cost_usd: 2 }), cell({ time: '2026-03-03', cost_usd: 4 })],
      { by: 'caller', measure: 'cost', bucket: 'day' },
    );
    expect(times.map((secs) => new Date(secs * 1_000).toISOString().slice(0, 10))).toEqual([
      '2026-03-01',
      '2026-03-02',
      '2026-03-03',
    ]);
    expect(parts).toEqual([
      { name: 'ann', total: 4.5, tops: [0.5, 0, 4] },
      { name: 'ben', total: 2, tops: [2.5, 0, 4] },
    ]);
  });

  it.each([
    [mostDrawn, mostDrawn],
    [mostDrawn + 1, mostDrawn],
    [40, mostDrawn],
  ])('of %i callers draws %i', (count, drawn) => {
    const cells = Array.from({ length: count }, (_, i) => cell({ caller: `c${i}`, input_tokens: 100 - i }));
    const { parts } = toStack(cells, { by: 'caller', measure: 'tokens', bucket: 'day' });
    expect(parts).toHaveLength(drawn);
    expect(parts.at(-1)?.name).toBe(count > mostDrawn ? others : `c${mostDrawn - 1}`);
    expect(parts.reduce((sum, { total }) => sum + total, 0)).toBe(
      cells.reduce((sum, one) => sum + one.input_tokens + one.output_tokens, 0),
    );
  });

  it('is drawn over all of the time that was asked for', () => {
    const asked = { fromMs: Date.UTC(2026, 1, 27, 5), untilMs: Date.UTC(2026, 2, 2, 23) };
    const { times, parts } = toStack([cell({})], { by: 'model', measure: 'cost', bucket: 'day', ...asked });
    expect(times).toHaveLength(4);
    expect(parts).toEqual([{ name: 'x/large', total: 0.5, tops: [0, 0, 0.5, 0] }]);
  });

  it('is asked for by whole spans', () => {
    const now = Date.UTC(2026, 2, 5, 13, 30);
    expect(toQuestion('day', now)).toEqual({ bucket: 'hour', since_ms: Date.UTC(2026, 2, 4, 14) });
    expect(toQuestion('week', now)).toEqual({ bucket: 'day', since_ms: Date.UTC(2026, 1, 27) });
    expect(toQuestion('all', now)).toEqual({ bucket: 'day' });
    expect(toStack([], { by: 'model', measure: 'cost', bucket: 'day' })).toEqual({ times: [], parts: [] });
  });
});
