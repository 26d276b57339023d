import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { resource } from '../../src/index.ts';
import { type Served, serve } from '../ask.ts';
import { fileDatabase } from '../open.ts';

const fields = {
  title: 'string',
  size: 'integer',
  urgent: 'boolean',
  extra: Type.Optional(Type.Object({ a: Type.Integer() })),
  note: Type.Optional(Type.String()),
} as const;

/** A list of so many rows: titles repeat after three, every second one is urgent. */
async function served(rows = 0): Promise<Served> {
  const database = await fileDatabase();
  const tickets = await serve([resource('tickets', fields)], database);
  const sql = 'insert into tickets (title, size, urgent, extra, note) values (?, ?, ?, ?, ?)';
  await database.write(
    Array.from({ length: rows }, (_, i) => ({
      sql,
      args: ['abc'[i % 3], i, i % 2, i === 0 ? null : `{"a":${i}}`, i === 1 ? 'ü' : null],
    })),
  );
  return tickets;
}

const idsOf = (value: unknown) => (value as readonly { id: number }[]).map(({ id }) => id);

describe('the list of a resource', () => {
  it('refuses a row in which another program wrote JSON with a number that would be rounded', async () => {
    const database = await fileDatabase();
    const { ask } = await serve([resource('tickets', fields)], database);
    const rows = ['{"a":9007199254740992}', '{"a":1234567890123456789}'];
    const sql = "insert into tickets (title, size, urgent, extra) values ('a', 1, 1, ?)";
    await database.write(rows.map((extra) => ({ sql, args: [extra] })));
    expect((await ask('get_tickets', { id: 1 })).value).toMatchObject({ extra: { a: 2 ** 53 } });
    await expect(ask('get_tickets', { id: 2 })).rejects.toThrow('"extra" holds an integer beyond 2^53');
    await expect(ask('list_tickets')).rejects.toThrow('beyond 2^53');
  });

  it('is an array of rows in the order of the primary key', async () => {
    verifies('resource.list', 'resource.list.sort.default');
    const { ask } = await served(2);
    expect((await ask('list_tickets')).value).toEqual([
      { id: 1, title: 'a', size: 0, urgent: false, extra: null, note: null },
      { id: 2, title: 'b', size: 1, urgent: true, extra: { a: 1 }, note: 'ü' },
    ]);
    expect((await (await served()).ask('list_tickets')).value).toEqual([]);
  });

  it('has 50 rows unless told otherwise', async () => {
    verifies('resource.list.limit.default');
    for (const [rows, shown, more] of [
      [49, 49, false],
      [50, 50, false],
      [51, 50, true],
    ] as const) {
      const { value, headers } = await (await served(rows)).ask('list_tickets');
      expect([idsOf(value).length, headers['link'] !== undefined]).toEqual([shown, more]);
    }
  });

  it('has 200 rows at most, whatever limit says', async () => {
    verifies('resource.list.limit.max', 'resource.list.limit.schema');
    const { ask, table } = await served(202);
    for (const [limit, shown] of [
      [199, 199],
      [200, 200],
      [201, 200],
      [1e9, 200],
    ] as const)
      expect(idsOf((await ask('list_tickets', { limit })).value).length).toBe(shown);
    const limit = table.get('list_tickets')?.parameters.find(({ name }) => name === 'limit');
    expect(limit?.schema).not.toHaveProperty('maximum');
    for (const wrong of [0, -1, 1.5, '9'])
      expect((await ask('list_tickets', { limit: wrong })).status).toBe(422);
  });

  it('skips rows and says where the next ones are, until there are none', async () => {
    verifies('resource.list.offset', 'resource.list.link');
    const { ask } = await served(5);
    const page = (query: Readonly<Record<string, string>>) =>
      ask('list_tickets', { ...query, limit: 2, offset: Number(query['offset'] ?? 0) }, { query });
    const first = await page({ sort: '-size' });
    expect(idsOf(first.value)).toEqual([5, 4]);
    expect(first.headers['link']).toBe('</tickets?sort=-size&limit=2&offset=2>; rel="next"');
    const second = await page({ sort: '-size', limit: '2', offset: '2' });
    expect(idsOf(second.value)).toEqual([3, 2]);
    expect(second.headers['link']).toBe('</tickets?sort=-size&limit=2&offset=4>; rel="next"');
    const third = await page({ sort: '-size', limit: '2', offset: '4' });
    expect([idsOf(third.value), third.headers['link']]).toEqual([[1], undefined]);
    expect(idsOf((await page({ offset: '9' })).value)).toEqual([]);
    expect((await ask('list_tickets', { offset: -1 })).status).toBe(422);
    // More than the database can count: told by its name.
    expect(await ask('list_tickets', { offset: 1e30 })).toMatchObject({
      status: 422,
      detail: expect.stringContaining('/offset') as unknown,
    });
  });

  it('orders by several fields, downwards where there is a minus, and then by the key', async () => {
    verifies('resource.list.sort');
    const { ask } = await served(6);
    const sorted = async (sort: string) => idsOf((await ask('list_tickets', { sort })).value);
    expect(await sorted('title')).toEqual([1, 4, 2, 5, 3, 6]);
    expect(await sorted('-title')).toEqual([3, 6, 2, 5, 1, 4]);
    expect(await sorted('title,-size')).toEqual([4, 1, 5, 2, 6, 3]);
    expect(await sorted('-id')).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await ask('list_tickets', { sort: 'titel' })).toMatchObject({
      status: 422,
      detail: '/sort names "titel", which is no field (did you mean "title"?)',
    });
    for (const sort of ['', 'title,', '--title', 'size,-size', '"size"', 'size desc', 'constructor'])
      expect((await ask('list_tickets', { sort })).status).toBe(422);
  });

  it('is filtered by equality with any field', async () => {
    verifies('resource.list.filter');
    const { ask } = await served(6);
    const filtered = async (filter: object) => idsOf((await ask('list_tickets', { ...filter })).value);
    expect(await filtered({ title: 'b' })).toEqual([2, 5]);
    expect(await filtered({ title: 'B' })).toEqual([]);
    expect(await filtered({ title: 'b', urgent: false })).toEqual([5]);
    expect(await filtered({ id: 3 })).toEqual([3]);
    expect(await filtered({ size: 0 })).toEqual([1]);
    expect(await filtered({ note: 'ü' })).toEqual([2]);
    expect(await filtered({ note: null, urgent: true })).toEqual([4, 6]);
    expect(await filtered({ extra: '{ "a": 3 }' })).toEqual([4]);
    expect(await filtered({ title: "' or 1=1 --" })).toEqual([]);
    for (const wrong of [{ extra: '{' }, { size: '1' }, { nope: 1 }, { title: 'a\0' }, { size: 2 ** 53 }])
      expect((await ask('list_tickets', wrong)).status).toBe(422);
  });

  it('refuses names in the query that are no fields', async () => {
    const { table } = await served();
    expect(table.get('list_tickets')?.strictQuery).toBe(true);
  });
});
