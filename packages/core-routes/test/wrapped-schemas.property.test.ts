import type { RawSchema } from '@waymark/contract';
import { byTier, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOf, echo, serve } from './kit.ts';

/** What a path or query can hold, with nothing around it. */
type Flat =
  | { readonly is: 'scalar'; readonly schema: object }
  | { readonly is: 'either'; readonly of: readonly Flat[] }
  | { readonly is: 'list'; readonly of: Flat }
  | { readonly is: 'tuple'; readonly of: readonly Flat[] };

const scalar: fc.Arbitrary<Flat> = fc
  .constantFrom<object>(
    { type: 'integer' },
    { type: 'integer', maximum: 5 },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'string' },
    { type: 'string', minLength: 2 },
    { enum: ['all', 'none'] },
    { enum: ['all', 1, 2.5] },
    { type: 'string', const: 'x' },
    { const: 7 },
    { const: true },
  )
  .map((schema) => ({ is: 'scalar', schema }));
const item: fc.Arbitrary<Flat> = fc.oneof(
  { weight: 3, arbitrary: scalar },
  {
    weight: 1,
    arbitrary: fc.array(scalar, { minLength: 2, maxLength: 3 }).map((of) => ({ is: 'either' as const, of })),
  },
);
const list: fc.Arbitrary<Flat> = fc.oneof(
  item.map((of) => ({ is: 'list' as const, of })),
  fc.array(item, { minLength: 1, maxLength: 3 }).map((of) => ({ is: 'tuple' as const, of })),
);
const flat: fc.Arbitrary<Flat> = fc.oneof(
  item,
  list,
  fc.tuple(item, list).map((of) => ({ is: 'either' as const, of })),
  fc.tuple(list, scalar, list).map((of) => ({ is: 'either' as const, of })),
);

/** Says the same of a text in other words; what is defined on the way stands in `$defs`. */
type Wrap = (schema: object, $defs: Record<string, object>) => object;

const wraps: Readonly<Record<string, Wrap>> = {
  asItIs: (schema) => schema,
  reference: (schema, $defs) => refer(schema, $defs),
  chain: (schema, $defs) => refer(refer(schema, $defs), $defs),
  anchor(schema, $defs) {
    const name = `a${Object.keys($defs).length}`;
    $defs[name] = { allOf: [schema], $anchor: name };
    return { $ref: `#${name}` };
  },
  beside: (schema, $defs) => ({ ...refer(schema, $defs), description: 'As it is defined.' }),
  besideTypes: (schema, $defs) => ({ type: flatTypes, ...refer(schema, $defs) }),
  part: (schema) => ({ allOf: [schema] }),
  parts: (schema) => ({ allOf: [{ type: flatTypes }, schema, { description: 'All of it.' }] }),
  maybe: (schema) => ({ anyOf: [schema, { type: 'null' }] }),
  maybeNot: (schema) => ({ oneOf: [{ const: null }, schema] }),
  onlyOne: (schema) => ({ anyOf: [schema, false] }),
  maybeDefined(schema, $defs) {
    return refer({ anyOf: [{ enum: [null] }, refer(schema, $defs)] }, $defs);
  },
};
const flatTypes = ['string', 'number', 'boolean', 'array', 'null'];

function refer(schema: object, $defs: Record<string, object>): object {
  const name = `d${Object.keys($defs).length}`;
  $defs[name] = schema;
  return { $ref: `#/$defs/${name}` };
}

/** The schema of a shape, each part of it in what comes next. */
function toSchema(shape: Flat, $defs: Record<string, object>, next: () => Wrap): object {
  const part = (one: Flat): object => toSchema(one, $defs, next);
  const bare = (): object => {
    switch (shape.is) {
      case 'scalar':
        return shape.schema;
      case 'either':
        return { anyOf: shape.of.map(part) };
      case 'list':
        return { type: 'array', items: part(shape.of) };
      case 'tuple':
        return { type: 'array', prefixItems: shape.of.map(part), items: { type: 'integer' } };
    }
  };
  return next()(bare(), $defs);
}

const text = fc.constantFrom('1', '7', '2.5', '007', 'true', 'x', 'all', 'xyz', '1e1', '', 'null');

/** The answer to a request of a route that echoes a parameter of the schema, given by these texts. */
async function read(
  schema: object,
  $defs: object,
  texts: readonly string[],
  isWhole: boolean,
): Promise<unknown> {
  const input = isWhole
    ? { type: 'object', properties: { v: schema }, required: ['v'], additionalProperties: false, $defs }
    : { v: { ...schema, $defs } };
  const { request } = serve([
    echo('GET', '/query', { input: input as RawSchema }),
    echo('GET', '/path/{v}', { input: input as RawSchema }),
  ]);
  const query = texts.map((one) => `v=${encodeURIComponent(one)}`).join('&');
  const answers = [
    await request('GET', '/query', { query }),
    ...(texts[0] ? [await request('GET', `/path/${encodeURIComponent(texts[0])}`)] : []),
  ];
  return answers.map((answer) => [answer.status, answer.status === 200 && answerOf(answer)]);
}

describe('a value in path or query', () => {
  it('is read alike however its schema says what it is', async () => {
    verifies('http.coerce.path-and-query');
    const seen = { taken: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        flat,
        fc.array(fc.constantFrom(...Object.keys(wraps)), { minLength: 12, maxLength: 12 }),
        fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
        fc.boolean(),
        async (shape, names, requests, isWhole) => {
          const plain = toSchema(shape, {}, () => (schema) => schema);
          const $defs: Record<string, object> = {};
          let n = 0;
          const wrapped = toSchema(
            shape,
            $defs,
            () => wraps[names[n++ % names.length] ?? ''] ?? ((one) => one),
          );
          for (const texts of requests) {
            const expected = await read(plain, {}, texts, isWhole);
            seen[JSON.stringify(expected).startsWith('[[200') ? 'taken' : 'refused']++;
            expect(await read(wrapped, $defs, texts, isWhole)).toEqual(expected);
          }
        },
      ),
      { numRuns: byTier({ quick: 60, slow: 90, drill: 600 }) },
    );
    // The property says something only where both happen.
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(20);
  });
});
