import { createRouteTable } from '@waymark/contract';
import type { EngineContext, RouteResponse } from '@waymark/contract/engine';
import { memoryStores } from '@waymark/contract/memory';
import type { UsageStore } from '@waymark/contract/stores';
import { testHost, verifies } from '@waymark/contract/testing';
import { controlPlane } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { options } from './serve.ts';

type Row = Parameters<UsageStore['append']>[0][number];

const noonMs = Date.UTC(2026, 2, 1, 12);

async function asking(rows: readonly Partial<Row>[]) {
  const stores = memoryStores();
  const fields = {
    inputTokens: 10,
    outputTokens: 2,
    cacheReadTokens: 1,
    cacheWriteTokens: 0,
    costMicros: 50,
  };
  const base = { ...fields, provider: 'p', model: 'm', caller: 'ada', atMs: noonMs, estimated: false };
  await stores.usage.append(rows.map((row) => ({ ...base, ...row })));
  const plane = controlPlane(options);
  void plane.start?.(testHost({ stores }));
  const route = createRouteTable(plane.routes).freeze().get('get_svc_spend');
  return async (input: object, accept?: string): Promise<unknown> => {
    const headers = accept === undefined ? {} : { accept };
    const context = { input: { bucket: 'day', limit: 1_000, ...input }, request: { headers } };
    // The engine reads these two members alone.
    return route?.engine.answer?.(context as unknown as EngineContext);
  };
}

describe('GET /spend', () => {
  it('has a cell for each day, caller and model, and says when there are more', async () => {
    verifies('listing.spend');
    const ask = await asking([{}, { caller: 'bot' }, { atMs: noonMs + 86_400_000, costMicros: null }]);
    const sums = {
      calls: 1,
      input_tokens: 10,
      output_tokens: 2,
      cache_read_tokens: 1,
      cache_write_tokens: 0,
    };
    const cells = [
      { time: '2026-03-02', caller: 'ada', model: 'p/m', ...sums, cost_usd: null },
      { time: '2026-03-01', caller: 'ada', model: 'p/m', ...sums, cost_usd: 0.00005 },
      { time: '2026-03-01', caller: 'bot', model: 'p/m', ...sums, cost_usd: 0.00005 },
    ];
    expect(await ask({})).toEqual({ bucket: 'day', cells, more: false });
    expect(await ask({ limit: 3 })).toMatchObject({ more: false });
    expect(await ask({ limit: 2 })).toEqual({ bucket: 'day', cells: cells.slice(0, 2), more: true });
    expect(await ask({ until_ms: noonMs + 1 })).toMatchObject({ cells: cells.slice(1) });
    expect(await ask({ since_ms: noonMs + 1 })).toMatchObject({ cells: cells.slice(0, 1) });
  });

  it('is a table for who asks for one, in which no text is a formula', async () => {
    verifies('listing.spend.csv');
    const ask = await asking([
      { caller: '=1+1', atMs: noonMs + 3_600_000 },
      { caller: 'a "b", c\nd', costMicros: null },
    ]);
    const { body, headers } = (await ask({ bucket: 'hour' }, 'text/csv')) as RouteResponse;
    expect(headers).toMatchObject({
      vary: 'accept',
      'content-disposition': 'attachment; filename="spend.csv"',
    });
    if (body.kind !== 'bytes') throw new Error(body.kind);
    expect(body.mediaType).toBe('text/csv; charset=utf-8');
    expect(Buffer.from(body.bytes).toString()).toBe(
      [
        'time,caller,model,calls,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost_usd',
        "2026-03-01T13:00:00Z,'=1+1,p/m,1,10,2,1,0,0.00005",
        '2026-03-01T12:00:00Z,"a ""b"", c\nd",p/m,1,10,2,1,0,',
        '',
      ].join('\r\n'),
    );
    expect(await ask({}, 'application/json, text/csv')).toMatchObject({ more: false });
    expect(await ask({}, '*/*')).toMatchObject({ more: false });
  });
});
