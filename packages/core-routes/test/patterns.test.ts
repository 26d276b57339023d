import { from, type Route, Type } from '@waymark/contract';
import type { StandardSchema } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { answerOf, detailOf, echo, jsonBody, serve } from './kit.ts';

/** Patterns as they are written everywhere, each with a part that it reads in more ways than one, and an end that breaks it. */
const corpus: readonly (readonly [pattern: string, begin: string, part: string, end: string])[] = [
  ['^[^@]+@[^@]+\\.[^@]+$', 'a@', '.', '@'],
  ['^\\S+@\\S+\\.\\S+$', 'a@', '.@', ' '],
  ['\\s+$', '', ' ', 'x'],
  ['^.*a.*b$', '', 'a', 'c'],
  ['^\\d+\\d+$', '', '1', 'x'],
  ['^[\\w.]+\\.\\w+$', '', 'a', '!'],
  ['^https?://.*/.*\\.png$', 'http://', '/', '!'],
  ['^(?:[\\w-]+\\.)*[\\w-]+@[\\w.]+\\.[a-z]+$', 'a@', 'a.', '!'],
  ['<[^>]*>', '', '<', ''],
  ['^(?:a|b)*$', '', 'ab', 'c'],
];

const mebibyte = 1_048_576;

/** 50 ms is what is promised; three times as much is for slow machines. */
const longestMs = 150;

/**
 * What a use costs, the least of up to three: milliseconds of the processor, which a busy machine does not lengthen. One that is
 * short enough is not asked for again.
 */
async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  // The first use of a route compiles its schema.
  let value = await work();
  const times: number[] = [];
  while (times.length < 3 && !times.some((ms) => ms < longestMs)) {
    const before = process.cpuUsage();
    value = await work();
    times.push(process.cpuUsage(before).user / 1_000);
  }
  return { value, ms: Math.min(...times) };
}

function textOf([, begin, part, end]: (typeof corpus)[number], length: number): string {
  return begin + part.repeat(Math.floor((length - begin.length - end.length) / part.length)) + end;
}

/** A schema of a library that matches whatever it is given, as zod does, beside all else that it finds. */
function matching(pattern: string, more: object = {}): StandardSchema<string> {
  const expression = new RegExp(pattern);
  const describe = () => ({ type: 'string', pattern, ...more });
  return {
    '~standard': {
      version: 1,
      vendor: 'byhand',
      validate: (value) =>
        expression.test(String(value))
          ? { value: String(value) }
          : { issues: [{ message: 'does not match' }] },
      jsonSchema: { input: describe, output: describe },
    },
  };
}

describe('a pattern', () => {
  it.each(corpus)('is no way to stop the service: %s', async (...one) => {
    verifies('route.pattern.length', 'route.pattern.time');
    const [pattern] = one;
    const served = [
      echo('POST', '/declared', { input: { text: Type.String({ pattern }) } }),
      echo('POST', '/short', { input: { text: Type.String({ pattern, maxLength: 254 }) } }),
      echo('POST', '/raw', {
        input: { type: 'object', properties: { text: { type: 'string', pattern } }, required: ['text'] },
      }),
      echo('POST', '/list', { input: { list: Type.Array(Type.String({ pattern })) } }),
      echo('POST', '/name', {
        input: { map: { type: 'object', patternProperties: { [pattern]: {} }, additionalProperties: false } },
      }),
      echo('POST', '/choice', { input: { text: Type.Union([Type.String({ pattern }), Type.Integer()]) } }),
      echo('POST', '/library', { input: { text: matching(pattern) } }),
      echo('POST', '/library-short', { input: { text: matching(pattern, { maxLength: 254 }) } }),
      echo('POST', '/tool', { input: { text: Type.String({ pattern }) }, tool: true, toolName: 'match' }),
    ];
    // Two characters of UTF-8 around it: the body may be a little larger than the text.
    const { request, tool } = serve(served.map((one) => ({ ...one, maxBodyBytes: 2 * mebibyte })));
    const most = (served[0]!.inputSchema as { properties: { text: { maxLength: number } } }).properties.text
      .maxLength;
    const text = textOf(one, mebibyte);
    const ask = async (path: string, value: unknown) =>
      (await request('POST', path, { body: jsonBody(value) })).status;
    const attacks: Readonly<Record<string, () => Promise<number>>> = {
      declared: () => ask('/declared', { text }),
      'at its limit': () => ask('/declared', { text: textOf(one, most) }),
      'with a limit': () => ask('/short', { text }),
      raw: () => ask('/raw', { text }),
      list: () => ask('/list', { list: Array(1_000).fill(textOf(one, most)) }),
      name: () => ask('/name', { map: { [text]: 1 } }),
      choice: () => ask('/choice', { text }),
      library: () => ask('/library', { text }),
      'library with a limit': () => ask('/library-short', { text }),
      tool: async () => (await tool({ text }, {}, 'match')).status,
    };
    for (const [name, attack] of Object.entries(attacks)) {
      const { value, ms } = await timed(attack);
      expect(ms, name).toBeLessThan(longestMs);
      // What is a part of a text matches: the limit is all that is left.
      if (name !== 'at its limit' && name !== 'list') expect(value, name).toBe(422);
    }
  });

  it.each(corpus)('is none in query and path, at 16 KiB: %s', async (...one) => {
    verifies('route.pattern.time');
    const [pattern] = one;
    const { request } = serve([
      echo('GET', '/query', { input: { text: Type.String({ pattern }) } }),
      echo('GET', '/queries', { input: { text: Type.Array(Type.String({ pattern })) } }),
      echo('GET', '/path/{text*}', { input: { text: Type.String({ pattern }) } }),
    ]);
    const text = encodeURIComponent(textOf(one, 16_384));
    const many = Array(15)
      .fill(`text=${encodeURIComponent(textOf(one, 1_000))}`)
      .join('&');
    for (const [path, query] of [
      ['/query', `text=${text}`],
      ['/queries', many],
      [`/path/${text}`, ''],
    ] as const) {
      const { ms } = await timed(() => request('GET', path, { query }));
      expect(ms, path).toBeLessThan(longestMs);
    }
  });

  it('has 1,024 characters to match, or what its schema says', async () => {
    verifies('route.pattern.length');
    const routes: readonly Route[] = [
      echo('POST', '/usual', { input: { text: Type.String({ pattern: '^a+$' }) } }),
      echo('POST', '/more', { input: { text: Type.String({ pattern: '^a+$', maxLength: 2_000 }) } }),
      echo('POST', '/library', { input: { text: matching('^a+$') } }),
      echo('POST', '/when', { input: { text: Type.String({ format: 'uri-template' }) } }),
      echo('POST', '/free', { input: { text: Type.String() } }),
      echo('POST', '/bytes', { input: { text: matching('^a*$', { contentEncoding: 'base64' }) } }),
    ];
    const { request, table } = serve(routes);
    const statuses = async (path: string, ...lengths: readonly number[]) =>
      Promise.all(
        lengths.map(
          async (length) =>
            (await request('POST', path, { body: jsonBody({ text: 'a'.repeat(length) }) })).status,
        ),
      );
    expect(await statuses('/usual', 1_023, 1_024, 1_025)).toEqual([200, 200, 422]);
    expect(await statuses('/more', 1_999, 2_000, 2_001)).toEqual([200, 200, 422]);
    expect(await statuses('/library', 1_023, 1_024, 1_025)).toEqual([200, 200, 422]);
    expect(await statuses('/when', 1_023, 1_024, 1_025)).toEqual([200, 200, 422]);
    expect(await statuses('/free', 1_000_000)).toEqual([200]);
    expect(await statuses('/bytes', 1_024, 1_000_000)).toEqual([200, 200]);
    const shown = Object.fromEntries(
      [...table].map(({ path, inputSchema }) => [
        path,
        (inputSchema as { properties: { text: { maxLength?: number } } }).properties.text.maxLength,
      ]),
    );
    expect(shown).toEqual({ '/usual': 1_024, '/more': 2_000, '/library': 1_024, '/when': 1_024 });
  });

  it('explains what is wrong as before, and of a text that is too long only that', async () => {
    const { request } = serve([
      echo('POST', '/x', {
        input: {
          text: Type.String({ pattern: '^a+$', maxLength: 4 }),
          wide: Type.Optional(Type.String({ pattern: '^😀+$', maxLength: 2 })),
          when: Type.Optional(Type.String({ format: 'email', maxLength: 9 })),
          word: Type.Optional(Type.Union([Type.Literal('on'), Type.Literal('off')])),
        },
      }),
    ]);
    const said = async (value: object) => detailOf(await request('POST', '/x', { body: jsonBody(value) }));
    expect(await said({ text: 'b' })).toBe('/text must match pattern "^a+$"');
    expect(await said({ text: 'aaaab' })).toBe('/text must not have more than 4 characters');
    expect(await said({ text: 'a', wide: '😀x' })).toBe('/wide must match pattern "^😀+$"');
    expect(await said({ text: 'a', wide: '😀😀😀' })).toBe('/wide must not have more than 2 characters');
    expect(await said({ text: 'a', when: 'nobody' })).toBe('/when must match format "email"');
    expect(await said({ text: 'a', when: 'nobody at all' })).toBe(
      '/when must not have more than 9 characters',
    );
    expect(await said({ text: 'a', word: 'x'.repeat(100_000) })).toContain('/word must be');
  });

  it('finds the one text of many that is wrong, and tells no more than eight', async () => {
    const list = from('content', Type.Array(Type.String({ pattern: '^a+$' })));
    const { request } = serve([echo('POST', '/x', { input: { list } })]);
    const body = (value: readonly string[]) => request('POST', '/x', { body: jsonBody(value) });
    const texts = Array<string>(300).fill('a'.repeat(900));
    expect(detailOf(await body([...texts, 'b']))).toBe('/list/300 must match pattern "^a+$"');
    expect(answerOf(await body(Array<string>(50).fill('b')))).toMatchObject({
      errors: { length: 8, 7: { path: '/list/7', message: 'must match pattern "^a+$"' } },
    });
  });

  it('of names is matched by none that is longer, and those are refused', async () => {
    const map = (more: object) => ({
      type: 'object',
      patternProperties: { '^a+$': { type: 'integer' }, 'x|y$': { type: 'boolean' } },
      ...more,
    });
    const { request } = serve([
      echo('POST', '/open', { input: { map: map({}) } }),
      echo('POST', '/closed', { input: { map: map({ additionalProperties: false }) } }),
      echo('POST', '/more', { input: { map: map({ propertyNames: { maxLength: 2_000 } }) } }),
    ]);
    const ask = (path: string, value: object) => request('POST', path, { body: jsonBody({ map: value }) });
    const named = (length: number) => ({ ['a'.repeat(length)]: 1 });
    const statuses = async (path: string, ...values: readonly object[]) =>
      Promise.all(values.map(async (value) => (await ask(path, value)).status));
    expect(await statuses('/open', named(1), named(1_024), named(1_025))).toEqual([200, 200, 422]);
    expect(await statuses('/closed', named(1), named(1_024), named(1_025))).toEqual([200, 200, 422]);
    expect(await statuses('/more', named(1_025), named(2_000), named(2_001))).toEqual([200, 200, 422]);
    expect(await statuses('/closed', { bxb: true }, { by: true }, { byb: true }, { bxb: 1 })).toEqual([
      ...[200, 200, 422, 422],
    ]);
    expect(await statuses('/open', { aa: 'no' }, { bb: 'yes' })).toEqual([422, 200]);
    const refusal = detailOf(await ask('/open', named(1_025)));
    expect(refusal).toMatch(/^\/map\/a+… has a name that must not have more than 1024 characters$/);
  });
});
