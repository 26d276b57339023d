import type { Json } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { camera, sensor } from '../../src/index.ts';
import { ada, bodyOf, chunked, declared, recordsOf, serveHub } from '../serve-hub.ts';

const telemetry = '/devices/thermo/telemetry';

/** A reading of exactly so many bytes. */
function readingOf(bytes: number): string {
  return `{"a":"${'x'.repeat(bytes - 8)}"}`;
}

describe('POST telemetry', () => {
  it('takes a reading, which becomes the newest', async () => {
    const { ask, host } = await serveHub([sensor('thermo')]);
    expect(await ask('POST', telemetry, { body: '{"celsius":20}' })).toMatchObject({
      status: 202,
      value: { device: 'thermo' },
    });
    await ask('POST', telemetry, { body: '{"celsius":21.5,"ok":true,"place":{"room":"ä"}}' });
    await host.clock.advance(1_500);
    expect((await ask('GET', telemetry)).value).toEqual({
      device: 'thermo',
      telemetry: { celsius: 21.5, ok: true, place: { room: 'ä' } },
      age_ms: 1_500,
    });
  });

  it('is there for cameras too', async () => {
    const { ask } = await serveHub([camera('door')]);
    expect((await ask('POST', '/devices/door/telemetry', { body: '{}' })).status).toBe(202);
  });

  it('takes 64 KB and not one byte more', async () => {
    const { ask } = await serveHub([sensor('thermo')]);
    expect((await ask('POST', telemetry, { body: readingOf(65_535) })).status).toBe(202);
    expect((await ask('POST', telemetry, { body: readingOf(65_536) })).status).toBe(202);
    const large = bodyOf(readingOf(65_537));
    expect(await ask('POST', telemetry, { body: large })).toMatchObject({
      status: 413,
      detail: 'a reading has 65536 bytes at most',
    });
    expect((await ask('POST', telemetry, { body: declared(1e12) })).status).toBe(413);
    expect(large.asked).toBe(false);
    expect((await ask('POST', telemetry, { body: chunked(readingOf(65_537)) })).status).toBe(413);
  });

  it('counts bytes, not characters', async () => {
    const { ask } = await serveHub([sensor('thermo')]);
    const body = `{"a":"${'ä'.repeat(32_765)}"}`;
    expect(Buffer.byteLength(body)).toBe(65_538);
    expect((await ask('POST', telemetry, { body })).status).toBe(413);
  });

  it.each([
    ['nothing', ''],
    ['a word', 'celsius'],
    ['half of it', '{"celsius":'],
    ['two', '{}{}'],
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a number that JSON cannot give back', '1e400'],
    ['such a number in a list', '{"a":[-1e999]}'],
    ['a number that would be rounded', '{"tag":1234567890123456789}'],
    ['a mark at its start', '\ufeff5'],
    ['a key that is dangerous to merge', '{"a":[{"__proto__":{"admin":true}}]}'],
    ['the other way to write it', '{"\\u005f_proto__":1}'],
    ['a constructor with a prototype', '{"constructor":{"prototype":{}}}'],
    ['65 levels', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
    ['65 levels of lists alone', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['65 levels of lists', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['very many levels', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ])('refuses %s with 400', async (_, body) => {
    const { ask } = await serveHub([sensor('thermo')]);
    expect((await ask('POST', telemetry, { body })).status).toBe(400);
    expect((await ask('GET', telemetry)).value).toMatchObject({ telemetry: null });
  });

  it('takes 64 levels, and a constructor that is only a word', async () => {
    const { ask } = await serveHub([sensor('thermo')]);
    const deep = `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`;
    expect((await ask('POST', telemetry, { body: deep })).status).toBe(202);
    expect((await ask('POST', telemetry, { body: '{"constructor":"Bosch"}' })).status).toBe(202);
  });

  it.each(['21.5', '"warm"', 'null', '[1,{"a":2}]', 'true'])('keeps %s as a value', async (body) => {
    verifies('hub.telemetry.value');
    const { ask, open } = await serveHub([sensor('thermo')]);
    const viewer = await open('/devices/thermo/stream');
    expect((await ask('POST', telemetry, { body })).status).toBe(202);
    const value = { value: JSON.parse(body) as Json };
    expect((await ask('GET', telemetry)).value).toMatchObject({ telemetry: value });
    expect(recordsOf(viewer, 'telemetry')).toEqual([{ type: 'telemetry', data: value }]);
  });

  it('has a rate of its own: 50 a second by default, 100 at once, refused before they are read', async () => {
    const { ask, host } = await serveHub([camera('thermo', { maxFps: 1 })]);
    for (let i = 0; i < 100; i++) expect((await ask('POST', telemetry, { body: '{}' })).status).toBe(202);
    const next = bodyOf('{}');
    expect(await ask('POST', telemetry, { body: next })).toMatchObject({
      status: 429,
      detail: 'a device takes 50 readings a second',
      headers: { 'retry-after': '1', 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '0' },
    });
    expect(next.asked).toBe(false);
    await host.clock.advance(20);
    expect((await ask('POST', telemetry, { body: '{}' })).status).toBe(202);
  });

  it('takes as many as the hub says', async () => {
    const { ask } = await serveHub([sensor('thermo')], { telemetryPerSecond: 1 });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask('POST', telemetry, { body: '{}' })).status);
    expect(statuses).toEqual([202, 202, 429]);
  });

  it('takes the ingest scopes, and reading it back the read scopes', async () => {
    const { ask } = await serveHub([sensor('thermo', { ingestScopes: ['in'], readScopes: ['out'] })]);
    const as = (scope: string) => ({ body: '{}', principal: { ...ada, scopes: [scope] } });
    expect((await ask('POST', telemetry, as('in'))).status).toBe(202);
    expect((await ask('GET', telemetry, as('in'))).status).toBe(403);
    expect((await ask('POST', telemetry, as('out'))).status).toBe(403);
    expect((await ask('GET', telemetry, as('out'))).status).toBe(200);
  });
});

describe('GET telemetry', () => {
  it('is null where nothing has come', async () => {
    const { ask } = await serveHub([sensor('thermo')]);
    expect((await ask('GET', telemetry)).value).toEqual({ device: 'thermo', telemetry: null, age_ms: null });
  });
});
