import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { callTool, createRouteTable, defineRoute, type Json } from '@waymark/contract';
import { anonymous } from '@waymark/contract/principal';
import type { StandardSchema } from '@waymark/contract/schema';
import { byTier, verifies } from '@waymark/contract/testing';
import { createDispatcher } from '@waymark/core-routes';
import { type } from 'arktype';
import { Schema } from 'effect';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** A schema as data, in what all of the libraries can say. */
type Shape =
  | { readonly is: 'text'; readonly min: number }
  | { readonly is: 'whole'; readonly from: number }
  | { readonly is: 'flag' | 'nothing' }
  | { readonly is: 'word'; readonly words: readonly string[] }
  | { readonly is: 'list'; readonly of: Shape }
  | { readonly is: 'either'; readonly one: Shape; readonly other: Shape }
  | {
      readonly is: 'object';
      readonly members: Readonly<Record<string, Shape>>;
      readonly optional: readonly string[];
    };

const names = ['a', 'b', 'constructor', 'x y'];

const { shape: shapes } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ is: fc.constant('text' as const), min: fc.nat(2) }),
    fc.record({ is: fc.constant('whole' as const), from: fc.integer({ min: -2, max: 2 }) }),
    fc.record({ is: fc.constantFrom('flag' as const, 'nothing' as const) }),
    fc.record({
      is: fc.constant('word' as const),
      words: fc.uniqueArray(fc.constantFrom('s', 'm', 'l'), { minLength: 1 }),
    }),
    fc.record({ is: fc.constant('list' as const), of: tie('shape') }),
    fc.record({ is: fc.constant('either' as const), one: tie('shape'), other: tie('shape') }),
    fc.record({
      is: fc.constant('object' as const),
      members: fc.dictionary(fc.constantFrom(...names), tie('shape'), { maxKeys: 3, noNullPrototype: true }),
      optional: fc.subarray(names),
    }),
  ),
}));

/** Values that fit, and values that nearly do. */
function values(shape: Shape): fc.Arbitrary<Json> {
  const strange = fc.constantFrom<Json>(null, true, 0, 1, -5, 1.5, '', 's', 'ss', [], [null], {}, { a: 1 });
  return fc.oneof({ weight: 6, arbitrary: fitting(shape) }, { weight: 1, arbitrary: strange });
}

function fitting(shape: Shape): fc.Arbitrary<Json> {
  switch (shape.is) {
    case 'text':
      return fc.string({ maxLength: 4 });
    case 'whole':
      return fc.integer({ min: -4, max: 9 });
    case 'flag':
      return fc.boolean();
    case 'nothing':
      return fc.constant(null);
    case 'word':
      return fc.constantFrom(...shape.words);
    case 'list':
      return fc.array(values(shape.of), { maxLength: 3 });
    case 'either':
      return fc.oneof(values(shape.one), values(shape.other));
    case 'object': {
      const members: Record<string, fc.Arbitrary<Json>> = {
        ...Object.fromEntries(Object.entries(shape.members).map(([name, one]) => [name, values(one)])),
        more: fc.constant(1),
      };
      const requiredKeys = Object.keys(shape.members).filter((name) => !shape.optional.includes(name));
      return fc.record(members, { requiredKeys, noNullPrototype: true });
    }
  }
}

type Build<S> = (shape: Shape) => S;

function membersOf<S>(
  shape: Shape & { is: 'object' },
  build: Build<S>,
  optional: (one: S) => S,
): Record<string, S> {
  return Object.fromEntries(
    Object.entries(shape.members).map(([name, one]) => [
      name,
      shape.optional.includes(name) ? optional(build(one)) : build(one),
    ]),
  );
}

const toZod: Build<z.ZodType> = (shape) => {
  switch (shape.is) {
    case 'text':
      return z.string().min(shape.min);
    case 'whole':
      return z.int().min(shape.from);
    case 'flag':
      return z.boolean();
    case 'nothing':
      return z.null();
    case 'word':
      return z.enum(shape.words);
    case 'list':
      return z.array(toZod(shape.of));
    case 'either':
      return z.union([toZod(shape.one), toZod(shape.other)]);
    case 'object':
      return z.object(membersOf(shape, toZod, (one) => one.optional()));
  }
};

const toValibot: Build<v.GenericSchema> = (shape) => {
  switch (shape.is) {
    case 'text':
      return v.pipe(v.string(), v.minLength(shape.min));
    case 'whole':
      return v.pipe(v.number(), v.integer(), v.minValue(shape.from));
    case 'flag':
      return v.boolean();
    case 'nothing':
      return v.null();
    case 'word':
      return v.picklist(shape.words);
    case 'list':
      return v.array(toValibot(shape.of));
    case 'either':
      return v.union([toValibot(shape.one), toValibot(shape.other)]);
    case 'object':
      return v.object(membersOf(shape, toValibot, (one) => v.optional(one)));
  }
};

type ArkType = ReturnType<typeof type.raw>;

const toArkType: Build<ArkType> = (shape) => {
  switch (shape.is) {
    case 'text':
      return type.raw(`string >= ${shape.min}`);
    case 'whole':
      return type.raw(`number.integer >= ${shape.from}`);
    case 'flag':
      return type.raw('boolean');
    case 'nothing':
      return type.raw('null');
    case 'word':
      return type.enumerated(...shape.words);
    case 'list':
      return toArkType(shape.of).array();
    case 'either':
      return toArkType(shape.one).or(toArkType(shape.other));
    case 'object':
      return type.raw(
        Object.fromEntries(
          Object.entries(shape.members).map(([name, one]) => [
            shape.optional.includes(name) ? `${name}?` : name,
            toArkType(one),
          ]),
        ),
      );
  }
};

type EffectSchema = Schema.Codec<unknown>;

const toEffect: Build<EffectSchema> = (shape) => {
  switch (shape.is) {
    case 'text':
      return Schema.String.check(Schema.isMinLength(shape.min));
    case 'whole':
      return Schema.Int.check(Schema.isGreaterThanOrEqualTo(shape.from));
    case 'flag':
      return Schema.Boolean;
    case 'nothing':
      return Schema.Null;
    case 'word':
      return Schema.Literals(shape.words);
    case 'list':
      return Schema.Array(toEffect(shape.of));
    case 'either':
      return Schema.Union([toEffect(shape.one), toEffect(shape.other)]);
    case 'object':
      return Schema.Struct(
        membersOf<Schema.Top>(shape, toEffect, (one) => Schema.optionalKey(one)),
      ) as unknown as EffectSchema;
  }
};

const libraries: Readonly<Record<string, Build<StandardSchema>>> = {
  zod: toZod,
  valibot: (shape) => toStandardJsonSchema(toValibot(shape)),
  arktype: (shape) => toArkType(shape),
  effect: (shape) =>
    Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(Schema.toCodecJson(toEffect(shape)))),
};

/** What the library says; nothing where it throws. Unions of ArkType do, of objects that share no key, for what is none. */
async function ownVerdict(schema: StandardSchema, o: Json) {
  try {
    return await schema['~standard'].validate(o);
  } catch {
    return undefined;
  }
}

const caller = { principal: anonymous(), via: 'mcp', requestId: 'r1' } as const;

describe('what a library accepts', () => {
  it.each(Object.keys(libraries))('is what is accepted, and given to the handler: %s', async (library) => {
    verifies('face.library.enforced');
    const build = libraries[library] ?? toZod;
    const counts = { taken: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        shapes.chain((shape) =>
          fc.tuple(fc.constant(shape), fc.array(values(shape), { minLength: 1, maxLength: 8 })),
        ),
        async ([shape, samples]) => {
          const schema = build(shape);
          const route = defineRoute(
            'POST',
            '/p',
            { input: { o: schema }, output: schema, tool: true },
            ({ o }) => JSON.stringify(o),
          );
          const table = createRouteTable([route]).freeze();
          const dispatcher = createDispatcher(table);
          for (const o of samples) {
            const own = await ownVerdict(schema, o);
            const ours = await callTool(dispatcher, { route, arguments: { o }, ...caller });
            if (own === undefined) {
              expect(ours.ok).toBe(false);
              continue;
            }
            counts[ours.ok ? 'taken' : 'refused'] += 1;
            expect(ours.ok).toBe(own.issues === undefined);
            if (ours.ok && !own.issues) expect(ours.value).toEqual(JSON.stringify(own.value));
            else expect(ours).toMatchObject({ status: 422 });
          }
        },
      ),
      { numRuns: byTier({ quick: 30, slow: 80, drill: 1_500 }) },
    );
  });
});
