import { describe, expect, it } from 'vitest';
import { matches } from '../browser/design/matches.ts';
import { toColumnNames, toDataRows, toDataSources } from '../browser/pages/data/data-sources.ts';
import { toLimitText, toPolicies } from '../browser/pages/security/security-words.ts';
import { countDue, toWhy } from '../browser/pages/webhooks/webhook-words.ts';

describe('a filter', () => {
  it('finds all of its words wherever they stand', () => {
    expect(matches('open TICK', ['GET', '/tickets/open', null])).toBe(true);
    expect(matches('open close', ['GET', '/tickets/open'])).toBe(false);
    expect(matches('  ', [])).toBe(true);
  });
});

describe('webhooks', () => {
  it.each([
    ['answer', 503, 'it answered 503'],
    ['unreachable', null, 'nobody answers there'],
    ['toString', null, 'toString'],
    [null, 204, 'it answered 204'],
    [null, null, ''],
  ])('%s and %s: %s', (error, status, why) => {
    expect(toWhy(error, status)).toBe(why);
  });

  it('counts what would be sent again', () => {
    expect(countDue({ queued: 2, failed: 3 })).toBe(5);
  });
});

describe('the security report', () => {
  it('is in words', () => {
    expect([toLimitText(1_048_576, 'bytes'), toLimitText(0.5, undefined)]).toEqual([
      '1,048,576 bytes',
      '0.5',
    ]);
    const policies = new Map(
      toPolicies({
        cors: { origins: ['https://a.example'], credentials: true },
        security_headers: null,
        trust_proxy: 2,
        allowed_hosts: ['desk.example'],
      }),
    );
    expect(policies.get('Other sites')).toBe(
      'https://a.example may read its answers, also as whoever is signed in',
    );
    expect([policies.get('Proxy'), policies.get('Hosts')]).toEqual([
      'the last 2 are believed',
      'desk.example',
    ]);
  });
});

describe('data', () => {
  const route = (path: string, engine: string, input: object = {}) => ({
    ...{ method: 'GET' as const, path, engine, tool: null, scopes: ['read'], approval: 'never' as const },
    ...{ name: path, summary: '', read_only: true, socket: false, input_schema: { properties: input } },
  });

  it('is found among the routes', () => {
    const sources = toDataSources([
      route('/loads', 'resource', { limit: {}, offset: {}, sort: {}, code: {}, tons: {} }),
      route('/loads/{code}', 'resource'),
      { ...route('/loads', 'resource'), method: 'POST' },
      route('/loads/open', 'query'),
      route('/notes/search', 'memory'),
      route('/notes/recall/{key}', 'memory'),
    ]);
    expect(sources).toEqual([
      {
        kind: 'resource',
        name: 'loads',
        path: '/loads',
        scopes: ['read'],
        key: 'code',
        fields: ['code', 'tons'],
      },
      { kind: 'memory', name: 'notes', path: '/notes/search', scopes: ['read'] },
    ]);
  });

  it('is rows of whatever columns, the key first', () => {
    expect(toDataRows([{ a: 1 }, null, [2], 'x'])).toEqual([{ a: 1 }]);
    expect(toDataRows({ a: 1 })).toEqual([]);
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`c${i}`, i]));
    expect(toColumnNames([{ ...wide, id: 1 }], 'id')).toEqual(['id', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5']);
  });
});
