/**
 * The promises of the types for schemas of libraries: checked by the compiler with everything else, never run.
 */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import type { BehaviourContext } from '@waymark/agents';
import { defineRoute } from '@waymark/contract';
import { createApplication, from, reply, Type } from '@waymark/server';
import { type } from 'arktype';
import { Schema } from 'effect';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

const app = createApplication('shop');
const order = z.object({ a: z.number() });

// Each library's own types, and what it makes of a value rather than what it takes.
app.post('/p', { input: { o: order } }, ({ o }) => expectTypeOf(o).toEqualTypeOf<{ a: number }>());
app.post(
  '/p/{id}/{name}',
  {
    input: {
      id: z.coerce.number(),
      at: z.iso.date().transform((text) => new Date(text)),
      page: z.number().default(1),
      lang: z.string().optional(),
      plain: Type.Integer(),
      raw: { type: 'boolean' },
    },
  },
  (input) => {
    expectTypeOf(input.id).toEqualTypeOf<number>();
    expectTypeOf(input.name).toEqualTypeOf<string>();
    expectTypeOf(input.at).toEqualTypeOf<Date>();
    expectTypeOf(input.page).toEqualTypeOf<number>();
    expectTypeOf(input.lang).toEqualTypeOf<string | undefined>();
    expectTypeOf(input.plain).toEqualTypeOf<number>();
    expectTypeOf(input.raw).toEqualTypeOf<boolean>();
  },
);
app.post(
  '/p',
  {
    input: {
      valibot: toStandardJsonSchema(v.object({ a: v.optional(v.string(), 'x') })),
      ark: type({ 'a?': 'string', b: 'number' }),
      effect: Schema.toStandardJSONSchemaV1(
        Schema.toStandardSchemaV1(Schema.toCodecJson(Schema.Struct({ a: Schema.Boolean }))),
      ),
    },
  },
  ({ valibot, ark, effect }) => {
    expectTypeOf(valibot).toEqualTypeOf<{ a: string }>();
    expectTypeOf(ark).toEqualTypeOf<{ a?: string; b: number }>();
    expectTypeOf(effect).toEqualTypeOf<{ readonly a: boolean }>();
  },
);
// @ts-expect-error an optional parameter may be missing
app.get('/p', { input: { lang: z.string().optional() } }, ({ lang }) => lang.length);

// Moved, and as a whole.
app.post('/p', { input: { rows: from('content', z.array(order)) } }, ({ rows }) =>
  expectTypeOf(rows).toEqualTypeOf<{ a: number }[]>(),
);
app.get('/p/{id}', { input: z.object({ id: z.int(), size: z.enum(['s', 'm']).default('m') }) }, (input) =>
  expectTypeOf(input).toEqualTypeOf<{ id: number; size: 's' | 'm' }>(),
);

// Output.
app.get('/p', { output: order }, () => ({ a: 1 }));
app.get('/p', { output: { 200: order, 404: z.object({ title: z.string() }) } }, () =>
  reply(404, { title: 'x' }),
);
// @ts-expect-error wrong success shape
app.get('/p', { output: order }, () => ({ a: 'x' }));
// @ts-expect-error wrong body for 404
app.get('/p', { output: { 200: order, 404: order } }, () => reply(404, { a: 'x' }));
defineRoute('GET', '/p', { output: type({ a: 'number' }) }, () => ({ a: 1 }));

// Behaviours, and what they ask.
app.behaviour('b', { input: { o: order } }, (_, { o }) => expectTypeOf(o).toEqualTypeOf<{ a: number }>());
app.behaviour('b', { input: order }, (_, { a }) => expectTypeOf(a).toEqualTypeOf<number>());
export const ask = async (ctx: BehaviourContext): Promise<void> => {
  expectTypeOf(await ctx.ask('?', { schema: z.string().transform(Number) })).toEqualTypeOf<number>();
  expectTypeOf(await ctx.ask('?', { schema: Type.Integer() })).toEqualTypeOf<number>();
  expectTypeOf(await ctx.askMany(['?'], { schema: order })).toEqualTypeOf<{ a: number }[]>();
};
app.pageHandler('/p', 'p', { input: { o: type('string') } }, ({ o }) => {
  expectTypeOf(o).toEqualTypeOf<string>();
  return {};
});
