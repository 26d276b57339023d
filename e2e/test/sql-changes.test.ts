import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import { describe, expect, it } from 'vitest';
import { servedSql } from './sql-served.ts';

const counters = (app: Application) =>
  app.resource('counters', { n: 'integer', label: Type.Optional(Type.String()) }, { tools: true });

describe('a condition', () => {
  it('that does not hold changes nothing, whatever is asked', async () => {
    const { send } = await servedSql(counters);
    await send('POST', '/counters', { body: { n: 1 } });
    const etag = (await send('GET', '/counters/1')).headers.get('etag') ?? '';
    for (const tag of ['"nonsense"', `W/${etag}`, etag.slice(0, -1), '""', 'x', '"a", "b"']) {
      const headers = { 'if-match': tag };
      const changed = await send('PATCH', '/counters/1', { body: { n: 2 }, headers });
      expect([changed.status, (await send('DELETE', '/counters/1', { headers })).status]).toEqual([412, 412]);
    }
    expect((await send('GET', '/counters/1')).value).toMatchObject({ n: 1 });
  });

  it('holds for a list of tags with the right one, and for any row', async () => {
    const { send } = await servedSql(counters);
    await send('POST', '/counters', { body: { n: 1 } });
    const etag = (await send('GET', '/counters/1')).headers.get('etag') ?? '';
    const change = (tag: string) =>
      send('PATCH', '/counters/1', { body: { n: 2 }, headers: { 'if-match': tag } });
    expect((await change(`"a", ${etag}`)).status).toBe(200);
    expect((await change('*')).status).toBe(200);
    expect((await send('DELETE', '/counters/1', { headers: { 'if-match': '*' } })).status).toBe(204);
    expect((await send('PATCH', '/counters/1', { body: { n: 2 } })).status).toBe(404);
  });

  it('is found broken whoever changed the row: a query, or a tool', async () => {
    const touch = (app: Application) =>
      app.query('POST', '/touch', "update counters set label = 'touched'", { returns: 'affected' });
    const { send, call } = await servedSql(counters, touch);
    await send('POST', '/counters', { body: { n: 1 } });
    const tag = async () => (await send('GET', '/counters/1')).headers.get('etag') ?? '';
    const before = await tag();
    await send('POST', '/touch');
    expect((await send('DELETE', '/counters/1', { headers: { 'if-match': before } })).status).toBe(412);
    const between = await tag();
    await call('update_counters', { id: 1, n: 9 });
    expect((await send('DELETE', '/counters/1', { headers: { 'if-match': between } })).status).toBe(412);
  });
});

describe('a conflict with what is stored', () => {
  it('is 409 by every door, and says nothing of the table', async () => {
    verifies('http.status.409');
    const cities = (app: Application) =>
      app.resource('cities', { code: 'string', name: 'string' }, { primaryKey: 'code', tools: true });
    const { send, call } = await servedSql(cities);
    const body = { code: 'zrh', name: 'Zürich' };
    expect((await send('POST', '/cities', { body })).status).toBe(201);
    const again = await send('POST', '/cities', { body: { ...body, name: 'secret-name' } });
    expect(again.value).toMatchObject({ status: 409, detail: 'a row with this key exists already' });
    expect((await call('create_cities', body)).content[0]?.text).toBe(
      'tool create_cities failed with 409: a row with this key exists already',
    );
    expect(again.text).not.toMatch(/secret-name|sqlite|constraint|cities\./i);
    expect((await send('GET', '/cities')).value).toEqual([body]);
  });
});
