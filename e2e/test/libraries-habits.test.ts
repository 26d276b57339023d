/** What libraries do in their own way, and callers must not notice. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication } from '@waymark/server';
import { scope, type } from 'arktype';
import { Schema } from 'effect';
import * as v from 'valibot';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const effect = <
  S extends Schema.Top & { readonly DecodingServices: never; readonly EncodingServices: never },
>(
  schema: S,
) => Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.toCodecJson(schema)));

async function serve(declare: (app: Application) => void) {
  const app = createApplication('habits', { port: 0, env: { LOG_LEVEL: 'silent' } });
  declare(app);
  const running = await app.listen();
  onTestFinished(() => void running.close());
  return async (path: string, body: object): Promise<readonly [status: number, value: unknown]> => {
    const response = await fetch(running.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const value = (await response.json()) as { readonly detail?: string };
    return [response.status, value.detail ?? value];
  };
}

it('zod is asked once, and what its asynchronous code throws ends the request alone', async () => {
  verifies('face.library.enforced');
  let asked = 0;
  const name = z.string().transform(async (text) => {
    asked++;
    await Promise.resolve();
    if (text === 'boom') throw new Error('boom');
    return text.toUpperCase();
  });
  const post = await serve((app) => app.post('/names', { input: { name } }, (input) => input));
  asked = 0;
  expect(await post('/names', { name: 'ann' })).toEqual([200, { name: 'ANN' }]);
  expect(asked).toBe(1);
  expect(await post('/names', { name: 'boom' })).toEqual([500, 'internal error']);
  // A rejection that nobody handled would have ended the process by now.
  expect(await post('/names', { name: 'ben' })).toEqual([200, { name: 'BEN' }]);
});

it('a check that cannot be asked yet when it is declared keeps nothing from starting', async () => {
  let open = false;
  const owner = z.coerce.string().refine(async () => {
    if (!open) throw new Error('the database is not open');
    return true;
  });
  const post = await serve((app) => app.post('/owners', { input: { owner } }, (input) => input));
  open = true;
  expect(await post('/owners', { owner: 'ann' })).toEqual([200, { owner: 'ann' }]);
});

it.each([
  ['a date', Schema.Date, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['a large number', Schema.BigInt, '5', '5'],
  ['a number', Schema.Number, 5, 5],
  ['an address', Schema.URL, 'https://example.com/', 'https://example.com/'],
] as const)('effect accepts what it describes: %s', async (_, schema, sent, given) => {
  verifies('face.library.described');
  const one = effect(
    Schema.Struct({ it: schema }) as unknown as Schema.Codec<{ it: unknown }, { it: string }>,
  );
  const post = await serve((app) =>
    app.post('/one', { input: { one } }, (input) => {
      const { it: value } = input.one;
      return {
        it: value instanceof Date ? value.toISOString() : typeof value === 'number' ? value : String(value),
      };
    }),
  );
  expect(await post('/one', { one: { it: sent } })).toEqual([200, { it: given }]);
});

it('effect, whose objects are all open, lets no misspelt parameter through', async () => {
  verifies('face.library.whole');
  const input = effect(Schema.Struct({ title: Schema.String, note: Schema.optionalKey(Schema.String) }));
  const post = await serve((app) => app.post('/notes', { input }, (given) => given));
  expect(await post('/notes', { title: 'a', note: 'b' })).toEqual([200, { title: 'a', note: 'b' }]);
  expect(await post('/notes', { title: 'a', noet: 'b' })).toMatchObject([
    422,
    expect.stringContaining('/noet'),
  ]);
});

it('valibot checks and changes what no JSON Schema can say', async () => {
  verifies('face.library.enforced', 'face.library.transforms');
  const name = toStandardJsonSchema(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(2),
      v.check((text) => text !== 'root', 'is taken'),
    ),
  );
  const later = toStandardJsonSchema(
    v.pipeAsync(
      v.string(),
      v.checkAsync(async (text) => text !== 'root', 'is taken'),
    ) as unknown as v.GenericSchema<string>,
  );
  const post = await serve((app) => app.post('/names', { input: { name, later } }, (input) => input));
  expect(await post('/names', { name: ' ann ', later: 'x' })).toEqual([200, { name: 'ann', later: 'x' }]);
  expect(await post('/names', { name: ' a ', later: 'x' })).toMatchObject([
    422,
    expect.stringContaining('/name'),
  ]);
  expect(await post('/names', { name: 'root', later: 'x' })).toEqual([422, '/name is taken']);
  expect(await post('/names', { name: 'ann', later: 'root' })).toEqual([422, '/later is taken']);
});

/** Types that hold themselves, two in a route, one level below what is declared. */
const recursive = {
  zod() {
    const tree = z.object({
      v: z.int(),
      get kids() {
        return z.array(tree).optional();
      },
    });
    const list = z.object({
      name: z.string(),
      get next() {
        return list.optional();
      },
    });
    return [z.object({ x: tree }), z.object({ x: list })] as const;
  },
  valibot() {
    interface Tree {
      readonly v: number;
      readonly kids?: readonly Tree[] | undefined;
    }
    interface List {
      readonly name: string;
      readonly next?: List | undefined;
    }
    const tree: v.GenericSchema<Tree> = v.object({
      v: v.number(),
      kids: v.optional(v.array(v.lazy(() => tree))),
    });
    const list: v.GenericSchema<List> = v.object({ name: v.string(), next: v.optional(v.lazy(() => list)) });
    return [
      toStandardJsonSchema(v.object({ x: tree })),
      toStandardJsonSchema(v.object({ x: list })),
    ] as const;
  },
  arktype() {
    const { holder } = scope({
      tree: { v: 'number', 'kids?': 'tree[]' },
      holder: { x: 'tree' },
    }).export();
    const { owner } = scope({
      list: { name: 'string', 'next?': 'list' },
      owner: { x: 'list' },
    }).export();
    return [holder, owner] as const;
  },
};

it.each(Object.entries(recursive))(
  'definitions that %s only numbers have names of ours, which nothing else changes',
  async (_, make) => {
    verifies('face.library.described');
    const describeIt = (): string => {
      const [a, b] = make();
      const app = createApplication('habits', { port: 0 }).post(
        '/two',
        { input: { a, b } },
        (input) => input,
      );
      expect(app.findings().filter(({ severity }) => severity === 'error')).toEqual([]);
      return JSON.stringify(app.table.get('create_two')?.inputSchema);
    };
    const first = describeIt();
    // Something else that is declared counts on.
    type({ other: 'string', q: '1 < number < 9' });
    expect(describeIt()).toBe(first);
    const [a, b] = make();
    const post = await serve((app) => app.post('/two', { input: { a, b } }, (input) => input));
    const good = { a: { x: { v: 1, kids: [{ v: 2 }] } }, b: { x: { name: 'n', next: { name: 'm' } } } };
    expect(await post('/two', good)).toEqual([200, good]);
    expect((await post('/two', { ...good, b: { x: { name: 'n', next: { name: 5 } } } }))[0]).toBe(422);
  },
);

it('no library tries a pattern on a text that is too long for it', async () => {
  verifies('route.pattern.time', 'route.pattern.length');
  const pattern = /^[^@]+@[^@]+\.[^@]+$/;
  const post = await serve((app) => {
    app.post('/zod', { input: { text: z.string().max(254).regex(pattern) } }, (input) => input);
    app.post(
      '/valibot',
      { input: { text: toStandardJsonSchema(v.pipe(v.string(), v.regex(pattern))) } },
      (i) => i,
    );
    app.post('/arktype', { input: { text: type(pattern) } }, (input) => input);
    app.post('/email', { input: z.object({ text: z.email() }) }, (input) => input);
  });
  const text = `a@${'.'.repeat(200_000)}@`;
  for (const [path, most] of [
    ['/zod', 256],
    ['/valibot', 1_024],
    ['/arktype', 1_024],
    ['/email', 1_024],
  ] as const) {
    await post(path, { text });
    const before = process.cpuUsage();
    expect(await post(path, { text })).toEqual([422, `/text must not have more than ${most} characters`]);
    expect(process.cpuUsage(before).user / 1_000, path).toBeLessThan(500);
  }
});
