import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findSqld } from '../test/servers/sqld.ts';
import { deskKeys } from '../test/sql-desk.ts';
import { findLeak } from '../test/sql-leaks.ts';
import { clientOf } from '../test/sql-served.ts';
import { startDesk, temporaryFolder } from '../test/started-desk.ts';

const caller = deskKeys.ANN_KEY;
const bob = deskKeys.BOB_KEY;
const sqld = await findSqld();

beforeAll(() => sqld?.start());
afterAll(() => sqld?.remove());

/** A desk over the server, until the test is over. */
async function desk(scheme = 'http://') {
  const file = join(temporaryFolder(onTestFinished), 'unused');
  const suffix = scheme === 'libsql://' ? '?tls=0' : '';
  const { program, url } = await startDesk(file, { DATABASE: `${scheme}127.0.0.1:${sqld?.port}${suffix}` });
  onTestFinished(() => void program.child.kill('SIGKILL'));
  return { program, ...clientOf(url) };
}

describe.skipIf(!sqld)('a desk over a libsql server', () => {
  it.each(['http://', 'ws://', 'libsql://'])('answers as over a file, by %s', async (scheme) => {
    const { send, call } = await desk(scheme);
    const title = `Ünïcode '%_" ${scheme}`;
    const created = await send('POST', '/tickets', {
      body: { title, rank: 2 ** 53 - 1, extra: { a: [1, null] } },
    });
    expect([created.status, created.text]).toEqual([201, created.text]);
    const row = created.value as { readonly id: number };
    expect(row).toMatchObject({ title, rank: 2 ** 53 - 1, extra: { a: [1, null] } });
    const path = `/tickets/${row.id}`;
    const etag = (await send('GET', path)).headers.get('etag') ?? '';
    expect(etag).toBe(created.headers.get('etag'));
    expect((await send('GET', path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await send('GET', `/titles/${encodeURIComponent(title)}`)).value).toEqual([
      { id: row.id, title },
    ]);
    const filter = new URLSearchParams({ title, extra: '{"a":[1,null]}', sort: '-rank,title' });
    expect((await send('GET', `/tickets?${filter.toString()}`)).value).toEqual([row]);
    expect((await send('POST', '/rank', { body: { title, rank: -1 } })).value).toEqual({
      affected: 1,
      last_insert_id: null,
    });
    expect((await send('PATCH', path, { body: { rank: 1 }, headers: { 'if-match': etag } })).status).toBe(
      412,
    );
    expect((await send('POST', '/mine', { caller })).value).toEqual({ title: 'ann' });
    expect((await send('GET', '/tickets?sort=nope')).status).toBe(422);
    expect((await send('POST', '/tickets', { body: { title, rank: 2 ** 53 } })).status).toBe(422);
    for (let i = 0; i < 3; i++)
      await send('POST', '/tickets', { body: { title: `${scheme}-${i}`, rank: 77 } });
    const listed = await call('list_tickets', { rank: 77, limit: 2 }, caller);
    expect(listed.content[1]?.text).toBe('There is more: call list_tickets again with offset=2.');
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await call('get_tickets', { id: row.id }, caller)).content[0]?.text).toContain('failed with 404');

    const remembered = { body: { key: scheme, value: `the guest network is called ${scheme}` } };
    expect((await send('POST', '/notes/remember', { ...remembered, caller })).status).toBe(200);
    for (const query of ['networks', 'netw', 'netwrok guset', 'called'])
      expect([query, (await send('GET', `/notes/search?query=${query}`, { caller })).text]).toEqual([
        query,
        expect.stringContaining(scheme),
      ]);
    expect((await send('GET', '/notes/search?query=networks', { caller: bob })).value).toEqual([]);
    const key = encodeURIComponent(scheme);
    expect((await send('GET', `/notes/recall/${key}`, { caller: bob })).status).toBe(404);
    expect((await send('DELETE', `/notes/forget/${key}`, { caller })).value).toEqual({ affected: 1 });
    expect((await send('GET', '/notes/search?query=networks', { caller })).value).toEqual([]);
  });

  it('loses no change that two desks make at once', async () => {
    const desks = await Promise.all([desk(), desk('ws://')]);
    const created = await desks[0].send('POST', '/tickets', { body: { title: 'counter', rank: 0 } });
    const path = `/tickets/${(created.value as { readonly id: number }).id}`;
    let told = 0;
    const increment = async ({ send }: (typeof desks)[number]): Promise<void> => {
      for (;;) {
        const read = await send('GET', path);
        const { rank } = read.value as { readonly rank: number };
        const headers = { 'if-match': read.headers.get('etag') ?? '' };
        const { status } = await send('PATCH', path, { body: { rank: rank + 1 }, headers });
        if (status === 200) return;
        expect([412, 503]).toContain(status);
        told++;
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => increment(desks[i % 2] ?? desks[0])));
    expect((await desks[1].send('GET', path)).value).toMatchObject({ rank: 20 });
    console.log(`20 changes, ${told} told to try again`);
  });

  it('says 503 while the server is away, and goes on by itself when it is back', async () => {
    const { send, call, program } = await desk();
    await send('POST', '/tickets', { body: { title: 'before' } });
    await sqld?.stop();
    for (const [method, path, body] of [
      ['GET', '/tickets', undefined],
      ['POST', '/tickets', { title: 'away' }],
      ['GET', '/titles/before', undefined],
    ] as const) {
      const answer = await send(method, path, body && { body });
      expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '1']);
      expect(findLeak(answer.text, '')).toBe(undefined);
      expect(answer.text).not.toMatch(/127\.0\.0\.1|fetch|ECONN/);
    }
    const failed = await call('create_tickets', { title: 'away' }, caller);
    expect(failed.content[0]?.text).toBe(
      'tool create_tickets failed with 503: the database cannot be reached',
    );
    expect((await send('GET', '/_svc/health', { caller })).status).toBe(200);
    await sqld?.start();
    expect((await send('POST', '/tickets', { body: { title: 'back' } })).status).toBe(201);
    const rows = (await send('GET', '/tickets?limit=200')).value as readonly { readonly title: string }[];
    expect(rows.map(({ title }) => title)).toEqual(expect.arrayContaining(['before', 'back']));
    expect(rows.map(({ title }) => title)).not.toContain('away');
    expect(program.child.exitCode).toBe(null);
  });
});
