import { Type } from '@waymark/contract';
import { byTier } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { servedSql } from './sql-served.ts';

const things = (app: Application) =>
  app.resource(
    'things',
    {
      text: Type.Optional(Type.String()),
      whole: Type.Optional(Type.Integer()),
      real: Type.Optional(Type.Number()),
      yes: Type.Optional(Type.Boolean()),
      json: Type.Optional(Type.Unknown()),
    },
    { tools: true },
  );

/** The same row by a query: `whole` is declared, the rest is as SQL gives it. */
const echo = (app: Application) =>
  app.query('POST', '/echo', 'select :text as text, :whole as whole, :real as real', {
    params: {
      text: Type.Union([Type.String(), Type.Null()]),
      whole: Type.Union([Type.Integer(), Type.Null()]),
      real: Type.Union([Type.Number(), Type.Null()]),
    },
    row: { text: 'string', whole: 'integer', real: 'number' },
    returns: 'one',
    tool: true,
    toolName: 'echo',
  });

/** Every text that can be stored: one with a null character cannot. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', ' ', "'", '"', '%', '_', '\\', '\u{1f600}', 'é', 'e\u0301', '\u202e', 'null', '1'),
  )
  .filter((one) => !one.includes('\0'));
const whole = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, -(2 ** 53 - 1)),
);
// JSON has no -0, and a number that is no double.
const real = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? 0 : one));
// Keys that reach a prototype are refused in every body.
const json = fc
  .jsonValue({ maxDepth: 3 })
  .map((one) => JSON.stringify(one))
  .filter((one) => !/"(?:__proto__|constructor)":/.test(one))
  .map((one) => JSON.parse(one) as unknown);
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const row = fc.record({
  text: maybe(text),
  whole: maybe(whole),
  real: maybe(real),
  yes: maybe(fc.boolean()),
  // An optional JSON field that is null, and JSON null, are one.
  json: maybe(json),
});

describe('values', () => {
  it('come back as they were given, by HTTP and as a tool, and are found by equality', {
    timeout: 120_000,
  }, async () => {
    const { send, call } = await servedSql(things, echo);
    const given = async (name: string, values: object): Promise<unknown> => {
      const { structuredContent, isError, content } = await call(name, values);
      expect({ isError, said: content[0]?.text }).toMatchObject({ isError: false });
      return structuredContent;
    };
    await fc.assert(
      fc.asyncProperty(row, async (values) => {
        const created = await send('POST', '/things', { body: values });
        expect(created.value).toMatchObject(values);
        const { id } = created.value as { readonly id: number };
        expect((await send('GET', `/things/${id}`)).value).toEqual({ id, ...values });
        const { id: other, ...rest } = (await given('create_things', values)) as { readonly id: number };
        expect(rest).toEqual(values);
        expect(await given('get_things', { id: other })).toEqual({ id: other, ...values });
        const asked = { text: values.text, whole: values.whole, real: values.real };
        expect((await send('POST', '/echo', { body: asked })).value).toEqual(asked);
        expect(await given('echo', asked)).toEqual(asked);

        const filter = new URLSearchParams();
        for (const [name, value] of Object.entries(values))
          if (value !== null) filter.set(name, name === 'json' ? JSON.stringify(value) : String(value));
        filter.set('limit', '200');
        filter.set('sort', '-id');
        const found = (await send('GET', `/things?${filter.toString()}`)).value as readonly {
          readonly id: number;
        }[];
        expect(found.map((one) => one.id)).toEqual(expect.arrayContaining([id, other]));
        for (const one of [id, other]) await send('DELETE', `/things/${one}`);
      }),
      { numRuns: byTier({ quick: 30, slow: 40, drill: 100 }) },
    );
  });

  it.each([
    [2 ** 53 - 1, 201],
    [-(2 ** 53 - 1), 201],
    [2 ** 53, 422],
    [-(2 ** 53), 422],
    [1e300, 422],
    [1.5, 422],
    ['1', 422],
    [true, 422],
  ])('keep the integer %s whole, or refuse it with %s', async (value, status) => {
    const { send, call } = await servedSql(things, echo);
    const created = await send('POST', '/things', { body: { whole: value } });
    expect(created.status).toBe(status);
    if (status === 201) expect(created.value).toMatchObject({ whole: value });
    const byTool = await call('create_things', { whole: value });
    expect(byTool.isError).toBe(status !== 201);
    if (byTool.isError) expect(byTool.content[0]?.text).toContain('failed with 422');
    const asked = { body: { text: null, whole: value, real: null } };
    expect((await send('POST', '/echo', asked)).status).toBe(status === 201 ? 200 : 422);
  });

  it('keep digits that JSON would round from being stored as others', async () => {
    const { send } = await servedSql(things);
    const body = '{"whole":9007199254740993}';
    expect((await send('POST', '/things', { body })).status).toBe(422);
    expect((await send('GET', '/things?whole=9007199254740993')).status).toBe(422);
    expect((await send('GET', '/things')).value).toEqual([]);
  });

  it('refuse text that the file would cut', async () => {
    const { send, call } = await servedSql(things);
    for (const body of [{ text: 'a\0b' }, { text: '\0' }])
      expect((await send('POST', '/things', { body })).status).toBe(422);
    expect((await send('POST', '/things', { body: { json: { a: '\0' } } })).value).toMatchObject({
      json: { a: '\0' },
    });
    expect((await call('create_things', { text: 'a\0b' })).isError).toBe(true);
    expect((await send('GET', '/things?text=a%00b')).status).toBe(422);
  });

  it('tell null from nothing given', async () => {
    const { send } = await servedSql(things);
    const empty = { text: null, whole: null, real: null, yes: null, json: null };
    expect((await send('POST', '/things', { body: {} })).value).toEqual({ id: 1, ...empty });
    await send('PATCH', '/things/1', { body: { text: 'a', whole: 1 } });
    expect((await send('PATCH', '/things/1', { body: { text: null } })).value).toEqual({
      id: 1,
      ...empty,
      whole: 1,
    });
    expect((await send('PATCH', '/things/1', { body: {} })).value).toMatchObject({ whole: 1 });
  });
});
