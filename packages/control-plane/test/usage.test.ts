import { createRouteTable, type RouteTable } from '@waymark/contract';
import { memoryStores } from '@waymark/contract/memory';
import type { UsageStore } from '@waymark/contract/stores';
import { testHost, verifies } from '@waymark/contract/testing';
import { controlPlane } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { ask, options } from './serve.ts';

const usage = 'get_svc_usage';
const noonMs = Date.UTC(2026, 2, 1, 12);

type Row = Parameters<UsageStore['append']>[0][number];

describe('GET /usage', () => {
  it('adds up in total, by caller, by model and by time', async () => {
    verifies('control.usage', 'usage.members', 'purpose.control.ledger');
    const table = await tableWith([
      row({ caller: 'ada', model: 'large', atMs: noonMs }),
      row({ caller: 'bot', model: 'small', atMs: noonMs + 3_600_000 }),
      row({ caller: 'ada', model: 'small', atMs: noonMs + 24 * 3_600_000 }),
    ]);
    expect(await ask(table, usage)).toEqual({
      since_ms: null,
      bucket: 'day',
      totals: sum(3),
      total_tokens: 360,
      by_caller: { ada: sum(2), bot: sum(1) },
      by_model: { 'scripted/large': sum(1), 'scripted/small': sum(2) },
      by_time: { '2026-03-01': sum(2), '2026-03-02': sum(1) },
      estimated_cost_usd: 0.00015,
      priced_cost_usd: 0.00015,
      unpriced_models: [],
    });
  });

  it('has a span for each hour on request, in UTC', async () => {
    const table = await tableWith([
      row({ atMs: noonMs }),
      row({ atMs: noonMs + 3_599_999 }),
      row({ atMs: noonMs + 3_600_000 }),
    ]);
    expect(await ask(table, usage, { input: { bucket: 'hour' } })).toMatchObject({
      bucket: 'hour',
      by_time: { '2026-03-01T12:00:00Z': sum(2), '2026-03-01T13:00:00Z': sum(1) },
    });
  });

  it('leaves out everywhere what was spent before a time, and keeps what was spent at it', async () => {
    const table = await tableWith([999, 1000, 1001].map((atMs) => row({ atMs, caller: `at ${atMs}` })));
    const answer = await ask(table, usage, { input: { since_ms: 1000 } });
    expect(answer).toMatchObject({ since_ms: 1000, totals: sum(2), by_model: { 'scripted/small': sum(2) } });
    expect(answer).toHaveProperty('by_caller', { 'at 1000': sum(1), 'at 1001': sum(1) });
    expect(answer).toHaveProperty('by_time', { '1970-01-01': sum(2) });
  });

  it('calls a cost unknown where one use has no price, and says which models have none', async () => {
    verifies('usage.unpriced');
    const table = await tableWith([
      row({ caller: 'ada', model: 'large' }),
      row({ caller: 'bot', model: 'local', costMicros: null }),
      row({ caller: 'bot', model: 'large' }),
    ]);
    expect(await ask(table, usage)).toMatchObject({
      totals: { calls: 3, cost_usd: null },
      by_caller: { ada: { cost_usd: 0.00005 }, bot: { cost_usd: null } },
      by_model: { 'scripted/large': { cost_usd: 0.0001 }, 'scripted/local': { cost_usd: null } },
      by_time: { '1970-01-01': { cost_usd: null } },
      estimated_cost_usd: null,
      priced_cost_usd: 0.0001,
      unpriced_models: ['scripted/local'],
    });
  });

  it('says 0 where nothing was spent', async () => {
    expect(await ask(await tableWith([]), usage)).toEqual({
      since_ms: null,
      bucket: 'day',
      totals: sum(0),
      total_tokens: 0,
      by_caller: {},
      by_model: {},
      by_time: {},
      estimated_cost_usd: 0,
      priced_cost_usd: 0,
      unpriced_models: [],
    });
  });

  it('keeps a caller by the name of an object member apart', async () => {
    const table = await tableWith([row({ caller: '__proto__' })]);
    const { by_caller } = (await ask(table, usage)) as { by_caller: object };
    expect(JSON.stringify(by_caller)).toBe(JSON.stringify({ ['__proto__']: sum(1) }));
  });

  it('takes two queries, a time and a span, and refuses others', async () => {
    const route = (await tableWith([])).get(usage);
    expect(route).toMatchObject({ strictQuery: true, tool: false, readOnly: true });
    expect(route?.parameters.map(({ name, place, required }) => [name, place, required])).toEqual([
      ['since_ms', 'query', false],
      ['bucket', 'query', false],
    ]);
    const [since, bucket] = route?.parameters.map(({ schema }) => schema) ?? [];
    expect(since).toMatchObject({ type: 'integer', minimum: 0 });
    expect(bucket).toMatchObject({ default: 'day', anyOf: [{ const: 'hour' }, { const: 'day' }] });
  });

  it('describes exactly the members it answers', async () => {
    const table = await tableWith([row({})]);
    const answer = (await ask(table, usage)) as Record<string, object>;
    const output = table.get(usage)?.output[200];
    const closedRow = {
      required: Object.keys(answer['totals'] ?? {}),
      additionalProperties: false,
    };
    expect(output).toMatchObject({
      required: Object.keys(answer),
      additionalProperties: false,
      properties: { totals: closedRow },
    });
  });

  it('answers 503 before the control plane is started', async () => {
    const table = createRouteTable(controlPlane(options).routes).freeze();
    await expect(ask(table, usage)).rejects.toMatchObject({
      status: 503,
      message: 'the spend ledger is not open: the control plane was not started',
    });
  });
});

/** The table of a control plane that was started on a ledger with these rows. */
async function tableWith(rows: readonly Row[]): Promise<RouteTable> {
  const stores = memoryStores();
  await stores.usage.append(rows);
  const plugin = controlPlane(options);
  await plugin.start?.(testHost({ stores }));
  return createRouteTable(plugin.routes).freeze();
}

function row(fields: Partial<Row>): Row {
  return {
    model: 'small',
    provider: 'scripted',
    inputTokens: 100,
    outputTokens: 20,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    costMicros: 50,
    estimated: false,
    caller: 'ada',
    atMs: 0,
    ...fields,
  };
}

/** The sum of `calls` rows, as it is sent. */
function sum(calls: number): object {
  return {
    calls,
    input_tokens: 100 * calls,
    output_tokens: 20 * calls,
    cache_read_tokens: 3 * calls,
    cache_write_tokens: 4 * calls,
    cost_usd: (50 * calls) / 1e6,
  };
}
