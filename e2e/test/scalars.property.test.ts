import { toClient } from '@waymark/client-gen';
import { defineRoute, type Json, Type } from '@waymark/contract';
import { byTier, verifies } from '@waymark/contract/testing';
import type { Application } from '@waymark/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withCompiledClient } from './compiled-client.ts';
import { application, serve } from './served.ts';
import { clientOf } from './sql-served.ts';

/** What a scalar can be declared as. */
const schemas = {
  number: Type.Number(),
  boolean: Type.Boolean(),
  string: Type.String(),
  either: Type.Union([Type.Number(), Type.Boolean()]),
  choice: Type.Union([Type.Number(), Type.Literal('all')]),
  least: Type.Number({ minimum: -1e300 }),
} as const;

type Name = keyof typeof schemas;

/** The same parameter in path, query and JSON; each a tool, too. */
function declare(app: Application): void {
  for (const name of Object.keys(schemas) as Name[]) {
    const input = { v: schemas[name] };
    const echo = (given: { readonly v?: unknown }): unknown => given;
    const named = (place: string) => ({ input, tool: true, toolName: `${place}_${name}` });
    app.add(
      defineRoute('GET', `/${name}/path/{v}`, named('path'), echo),
      defineRoute('GET', `/${name}/query`, named('query'), echo),
      defineRoute('POST', `/${name}/body`, named('body'), echo),
    );
  }
}

/** Any number that JSON has, as it has it: there is no -0. */
const number = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    fc.constantFrom(2 ** 53, 1e16, 1e21),
  )
  .map((one) => (one === 0 ? 0 : one));
/** Text that a URL can carry as one segment. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom('all', 'true', '1e16', '007', 'a/b', '%2F', '+', ' '),
    number.map(String),
  )
  .filter((one) => !/\p{Cc}|\p{Cs}|^\.{1,2}$/u.test(one));

const values: Readonly<Record<Name, fc.Arbitrary<Json>>> = {
  number,
  boolean: fc.boolean(),
  string: text,
  either: fc.oneof(number, fc.boolean()),
  choice: fc.oneof(number, fc.constant('all')),
  least: number,
};

const use = fc
  .constantFrom(...(Object.keys(schemas) as Name[]))
  .chain((name) => fc.record({ name: fc.constant(name), value: values[name] }));

/** Calls any operation of the client by its name. */
const program = `import { createClient, ProblemError } from './client.ts';

export async function use(baseUrl: string, method: string, v: unknown): Promise<unknown> {
  const client = createClient({ baseUrl }) as unknown as Record<string, (values: object) => Promise<object>>;
  try {
    return { status: 200, value: await client[method]?.({ v }) };
  } catch (error) {
    if (error instanceof ProblemError) return { status: error.status };
    throw error;
  }
}
`;

interface Program {
  use(baseUrl: string, method: string, v: Json): Promise<unknown>;
}

describe('a scalar that JSON takes', () => {
  it('is taken alike in path and query, of the generated client and as a tool', async () => {
    verifies('http.coerce.numbers', 'http.coerce.path-and-query');
    const app = application();
    declare(app);
    const { url } = await serve(app);
    const { send, call } = clientOf(url);
    await withCompiledClient(toClient(app.table, { title: 'Scalars' }), program, async (client: Program) => {
      await fc.assert(
        fc.asyncProperty(use, async ({ name, value }) => {
          const sent = await send('POST', `/${name}/body`, { body: { v: value } });
          const told = sent.status === 200 ? { status: 200, value: { v: value } } : { status: 422 };
          expect(sent).toMatchObject(told);
          const spelt = encodeURIComponent(String(value));
          expect(await send('GET', `/${name}/query?v=${spelt}`)).toMatchObject(told);
          expect(await send('GET', `/${name}/path/${spelt}`)).toMatchObject(told);
          const title = name.replace(/^./, (first) => first.toUpperCase());
          for (const place of ['path', 'query', 'body']) {
            expect((await call(`${place}_${name}`, { v: value })).isError).toBe(told.status !== 200);
            expect(await client.use(url, `${place}${title}`, value)).toEqual(told);
          }
        }),
        { numRuns: byTier({ quick: 60, slow: 80, drill: 400 }) },
      );
    });
  });
});
