import { createRouteTable, type RouteTable } from '@waymark/contract';
import { memoryStores } from '@waymark/contract/memory';
import type { AuditRecord, AuditStore } from '@waymark/contract/stores';
import { testHost, verifies } from '@waymark/contract/testing';
import { controlPlane } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { ask, options } from './serve.ts';

const audit = 'get_svc_audit';
const called = {
  kind: 'tool_called',
  via: 'mcp',
  route: 'refund',
  principal: 'desk',
  status: 200,
  duration_ms: 3,
};

describe('GET /audit', () => {
  it('lists events newest first, each with all of its members as they are kept', async () => {
    verifies('control.audit', 'purpose.control.audit', 'audit.members');
    const first = record(1, called);
    const second = record(2, { kind: 'handoff', run_id: 'r1', from: 'a', to: null, steps: [{ seq: 1 }] });
    const third = record(3, { kind: 'made_by_a_plugin' });
    expect(await read([first, second, third])).toEqual({ events: [third, second, first] });
  });

  it('is empty when nothing happened, and when nothing fits', async () => {
    expect(await read([])).toEqual({ events: [] });
    expect(await read([record(1)], { kind: 'insight' })).toEqual({ events: [] });
  });

  it('filters by kind, by run, and by both', async () => {
    verifies('audit.filters');
    const records = [
      record(1, { kind: 'handoff', run_id: 'a' }),
      record(2, { kind: 'handoff', run_id: 'b' }),
      record(3, { kind: 'compaction', run_id: 'a' }),
      record(4),
    ];
    expect(await ids(records, { kind: 'handoff' })).toEqual(['0002', '0001']);
    expect(await ids(records, { run_id: 'a' })).toEqual(['0003', '0001']);
    expect(await ids(records, { kind: 'handoff', run_id: 'a' })).toEqual(['0001']);
  });

  it('names the cursor to read on from, but only when there is more', async () => {
    verifies('audit.filters');
    const records = [1, 2, 3, 4, 5].map((n) => record(n, { kind: n === 3 ? 'insight' : 'handoff' }));
    const table = await tableWith(records);
    const page = async (input: object): Promise<unknown> => {
      const { events, next } = await answerOf(table, { limit: 2, ...input });
      return [events.map(({ id }) => id), next];
    };
    expect(await page({})).toEqual([['0005', '0004'], '0004']);
    expect(await page({ before: '0004' })).toEqual([['0003', '0002'], '0002']);
    expect(await page({ before: '0002' })).toEqual([['0001'], undefined]);
    expect(await page({ before: '0003' })).toEqual([['0002', '0001'], undefined]);
    expect(await page({ kind: 'handoff', before: '0004' })).toEqual([['0002', '0001'], undefined]);
    expect(await page({ kind: 'insight' })).toEqual([['0003'], undefined]);
    expect(Object.keys(await answerOf(table, { limit: 5 }))).toEqual(['events']);
  });

  it('gives 200 events when no limit is asked for', async () => {
    const table = await tableWith(range(201));
    const { events, next } = await answerOf(table, {});
    expect([events.length, next]).toEqual([200, '0002']);
    const { next: none } = await answerOf(await tableWith(range(200)), {});
    expect(none).toBeUndefined();
  });

  it('clamps the limit to 1000 events', async () => {
    const table = await tableWith(range(1002));
    const sizes = [999, 1000, 1001, 5000].map(
      async (limit) => (await answerOf(table, { limit })).events.length,
    );
    expect(await Promise.all(sizes)).toEqual([999, 1000, 1000, 1000]);
  });

  it('declares its query names, refuses others, and shows no maximum of what is clamped', async () => {
    const route = (await tableWith([])).get(audit);
    expect(route).toMatchObject({ strictQuery: true, tool: false, readOnly: true });
    expect(route?.parameters.map(({ name, place, required }) => [name, place, required])).toEqual([
      ['kind', 'query', false],
      ['run_id', 'query', false],
      ['principal', 'query', false],
      ['route', 'query', false],
      ['since_ms', 'query', false],
      ['until_ms', 'query', false],
      ['before', 'query', false],
      ['limit', 'query', false],
    ]);
    const schemas = new Map(route?.parameters.map(({ name, schema }) => [name, schema]));
    for (const name of ['kind', 'run_id', 'before'])
      expect(schemas.get(name)).toMatchObject({
        type: 'string',
        pattern: expect.stringMatching(/^\^/) as string,
      });
    expect(schemas.get('limit')).toMatchObject({ type: 'integer', minimum: 1, default: 200 });
    expect(schemas.get('limit')).not.toHaveProperty('maximum');
  });

  it('describes its answer: events with members of their own, and the cursor when there is one', async () => {
    const output = (await tableWith([])).get(audit)?.output[200];
    expect(output).toMatchObject({
      required: ['events'],
      additionalProperties: false,
      properties: {
        events: { items: { required: ['id', 'at_ms', 'kind'], additionalProperties: true } },
        next: { type: 'string' },
      },
    });
  });

  it('answers 503 before the control plane is started', async () => {
    const table = createRouteTable(controlPlane(options).routes).freeze();
    await expect(ask(table, audit)).rejects.toMatchObject({
      status: 503,
      message: 'the audit log is not open: the control plane was not started',
    });
  });

  it('keeps two control planes in one process apart', async () => {
    const one = await tableWith([record(1)]);
    const two = await tableWith([record(2)]);
    expect([(await answerOf(one, {})).events, (await answerOf(two, {})).events]).toEqual([
      [record(1)],
      [record(2)],
    ]);
  });

  it('fails as the store fails', async () => {
    const store: AuditStore = {
      ...memoryStores().audit,
      list: () => Promise.reject(new Error('disk')),
    };
    await expect(ask(await tableOver(store), audit)).rejects.toThrow('disk');
  });
});

function record(n: number, members: Partial<AuditRecord> = {}): AuditRecord {
  return { kind: 'tool_called', id: String(n).padStart(4, '0'), at_ms: n * 1000, ...members };
}

function range(count: number): readonly AuditRecord[] {
  return Array.from({ length: count }, (_, i) => record(i + 1));
}

async function tableWith(records: readonly AuditRecord[]): Promise<RouteTable> {
  const store = memoryStores().audit;
  await store.append(records);
  return tableOver(store);
}

/** The table of a control plane that was started on a store. */
async function tableOver(store: AuditStore): Promise<RouteTable> {
  const plugin = controlPlane(options);
  await plugin.start?.(testHost({ stores: { ...memoryStores(), audit: store } }));
  return createRouteTable(plugin.routes).freeze();
}

interface Answer {
  readonly events: readonly AuditRecord[];
  readonly next?: string;
}

async function answerOf(table: RouteTable, input: object): Promise<Answer> {
  return (await ask(table, audit, { input: { ...input } })) as Answer;
}

async function read(records: readonly AuditRecord[], input: object = {}): Promise<Answer> {
  return answerOf(await tableWith(records), input);
}

async function ids(records: readonly AuditRecord[], input: object): Promise<readonly string[]> {
  return (await read(records, input)).events.map(({ id }) => id);
}
