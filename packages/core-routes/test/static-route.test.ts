import { createRouteTable, DeclarationError, media } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { staticRoute, staticRules } from '../src/index.ts';
import { serve } from './kit.ts';

describe('staticRoute', () => {
  it('answers with one constant body and 200', async () => {
    verifies('declare.static', 'declare.static.status.default');
    const { request } = serve([staticRoute('GET', '/version', { version: 1 })]);
    expect(await request('GET', '/version')).toEqual({
      status: 200,
      headers: {},
      body: { kind: 'json', text: '{"version":1}' },
    });
  });

  it('answers with another status when told so', async () => {
    const { request } = serve([
      staticRoute('POST', '/gone', 'gone', { status: 410 }),
      staticRoute('GET', '/none', 'x', { status: 204 }),
      staticRoute('GET', '/nothing', undefined),
    ]);
    expect(await request('POST', '/gone')).toMatchObject({ status: 410, body: { text: '"gone"' } });
    expect(await request('GET', '/none')).toMatchObject({ status: 204, body: { kind: 'empty' } });
    expect(await request('GET', '/nothing')).toMatchObject({ status: 200, body: { kind: 'empty' } });
  });

  it('writes its body once, at boot', async () => {
    verifies('declare.static.at-boot');
    let written = 0;
    const value = { toJSON: () => ++written };
    const bytes = Uint8Array.of(1, 2);
    const { request } = serve([staticRoute('GET', '/value', value), staticRoute('GET', '/bytes', bytes)]);
    bytes[0] = 9;
    for (let i = 0; i < 3; i++) expect(await request('GET', '/value')).toMatchObject({ body: { text: '1' } });
    expect(await request('GET', '/bytes')).toMatchObject({
      body: { kind: 'bytes', bytes: Uint8Array.of(1, 2), mediaType: 'application/octet-stream' },
    });
  });

  it('takes the options of every route', () => {
    const declared = staticRoute('GET', '/x', 1, {
      tool: true,
      toolName: 'one',
      scopes: ['a'],
      summary: 'One.',
      readOnly: false,
    });
    expect(declared).toMatchObject({
      tool: true,
      name: 'one',
      scopes: ['a'],
      summary: 'One.',
      readOnly: false,
      engine: { kind: 'static' },
    });
    expect(declared.problems).toEqual([]);
  });

  it('says where it was declared', () => {
    expect(staticRoute('GET', '/x', 1).declaredAt).toMatch(/test\/static-route\.test\.ts:\d+$/);
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  it.each([
    ['a function', () => 1, 200, 'the body is not JSON'],
    ['a BigInt', 1n, 200, 'the body is not JSON'],
    ['a cycle', cycle, 200, 'the body is not JSON'],
    ['a status of none', 1, 99, '99 is not a status an answer can have'],
    ['a status too high', 1, 600, '600 is not a status an answer can have'],
    ['half a status', 1, 200.5, '200.5 is not a status an answer can have'],
    ['a status in words', 1, '200' as never, '<string> is not a status an answer can have'],
  ])('fails at boot, with the others, when it is given %s', (_, value, status, rule) => {
    const broken = staticRoute('GET', '/x', value, { status });
    expect(() => createRouteTable([broken, staticRoute('GET', 'y', 1)]).freeze()).toThrow(DeclarationError);
    expect(broken.problems).toMatchObject([{ declaration: 'route GET /x', rule, at: broken.declaredAt }]);
    for (const { code, fix } of broken.problems) {
      expect(staticRules).toHaveProperty(code ?? 'none');
      expect(fix).toEqual(expect.any(String));
    }
  });

  it('tells documents and clients the types of its body, and shows it where it is short', () => {
    const answersOf = (...given: Parameters<typeof staticRoute>) => staticRoute(...given).facts.answers;
    expect(answersOf('GET', '/a', { app: 'desk', more: [1], none: null })).toEqual({
      200: [
        {
          type: 'object',
          properties: { app: { type: 'string' }, more: { type: 'array' }, none: { type: 'null' } },
          required: ['app', 'more', 'none'],
          examples: [{ app: 'desk', more: [1], none: null }],
        },
      ],
    });
    expect(answersOf('GET', '/a', 'x'.repeat(2_000))).toEqual({ 200: [{ type: 'string' }] });
    expect(answersOf('GET', '/a', undefined, { status: 204 })).toEqual({ 204: [] });
    expect(answersOf('GET', '/a', new Uint8Array(1))).toEqual({ 200: [media('application/octet-stream')] });
  });
});
