/**
 * The promises of the types: checked by the compiler with everything else, never run.
 */

import { type BehaviourContext, behaviour, type ToolError } from '@waymark/agents';
import { Type, type Values } from '@waymark/contract';
import { expectTypeOf } from 'vitest';

declare module '@waymark/agents' {
  interface ToolTypes {
    typed_search: { readonly input: { limit?: number }; readonly output: { id: number; title: string }[] };
    typed_close: { readonly input: { id: number }; readonly output: { closed: boolean } };
  }
}

// Without `input` it is given any object.
behaviour(async function tidy(ctx, input) {
  expectTypeOf(ctx).toEqualTypeOf<BehaviourContext>();
  expectTypeOf(input).toEqualTypeOf<Values>();
});
behaviour({ tools: ['look'] }, (_, input) => expectTypeOf(input).toEqualTypeOf<Values>());
behaviour('tidy', {}, (_, input) => expectTypeOf(input).toEqualTypeOf<Values>());

// A record of schemas, or one JSON Schema, types it.
const input = {
  days: Type.Integer({ default: 30 }),
  title: Type.Optional(Type.String()),
} as const;
behaviour('tidy', { input }, (ctx, { days, title }) => {
  expectTypeOf(ctx).toEqualTypeOf<BehaviourContext>();
  expectTypeOf(days).toEqualTypeOf<number>();
  expectTypeOf(title).toEqualTypeOf<string | undefined>();
});
behaviour({ input: { days: Type.Integer() } }, (_, { days }) => expectTypeOf(days).toEqualTypeOf<number>());
behaviour(
  'tidy',
  { input: { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] } },
  (_, { days }) => expectTypeOf(days).toEqualTypeOf<number>(),
);
// @ts-expect-error no such member
behaviour({ input: { days: Type.Integer() } }, (_, { weeks }) => weeks);
// @ts-expect-error no such option
behaviour('tidy', { handoffs: [] }, () => null);
// @ts-expect-error no function
behaviour('tidy', {});

declare const ctx: BehaviourContext;

/** What is declared of tools types their calls. */
export async function calls(): Promise<void> {
  expectTypeOf(await ctx.call('typed_search')).toEqualTypeOf<{ id: number; title: string }[]>();
  expectTypeOf(await ctx.call('typed_search', { limit: 5 })).toEqualTypeOf<{ id: number; title: string }[]>();
  expectTypeOf(await ctx.call('typed_close', { id: 5 })).toEqualTypeOf<{ closed: boolean }>();
  // @ts-expect-error it needs an id
  await ctx.call('typed_close');
  // @ts-expect-error an id is a number
  await ctx.call('typed_close', { id: '5' });
  expectTypeOf(await ctx.call('anything_else', { whatever: 1 })).toBeUnknown();
  expectTypeOf(await ctx.call('anything_else')).toBeUnknown();
  // @ts-expect-error arguments are an object
  await ctx.call('anything_else', 5);
  expectTypeOf(await ctx.run('triage', { input: 'Sort.' })).toBeUnknown();
}

/** Each item of `gather` has its own type. */
export async function gathers(names: readonly string[]): Promise<void> {
  const items = [
    'typed_search',
    ['typed_close', { id: 1 }],
    { tool: 'typed_close', id: 2 },
    'other',
  ] as const;
  const [found, closed, again, other] = await ctx.gather(items);
  expectTypeOf(found).toEqualTypeOf<{ id: number; title: string }[]>();
  expectTypeOf(closed).toEqualTypeOf<{ closed: boolean }>();
  expectTypeOf(again).toEqualTypeOf<{ closed: boolean }>();
  expectTypeOf(other).toBeUnknown();
  const [either] = await ctx.gather(['typed_close'], { returnExceptions: true });
  expectTypeOf(either).toEqualTypeOf<{ closed: boolean } | ToolError>();
  expectTypeOf(await ctx.gather(names)).toEqualTypeOf<unknown[]>();
  // @ts-expect-error a number names no tool
  await ctx.gather([5]);
}

/** A schema types the answer. */
export async function asks(): Promise<void> {
  expectTypeOf(await ctx.ask('Well?')).toEqualTypeOf<string>();
  expectTypeOf(await ctx.ask('Well?', { system: 'Be brief.' })).toEqualTypeOf<string>();
  const schema = Type.Object({ ids: Type.Array(Type.Integer()) });
  expectTypeOf(await ctx.ask('Which?', { schema })).toEqualTypeOf<{ ids: number[] }>();
  expectTypeOf(await ctx.ask('Yes?', { schema: { type: 'boolean' } })).toEqualTypeOf<boolean>();
  expectTypeOf(await ctx.askMany(['a', 'b'])).toEqualTypeOf<string[]>();
  expectTypeOf(await ctx.askMany(['a'], { schema, concurrency: 2 })).toEqualTypeOf<{ ids: number[] }[]>();
  expectTypeOf(await ctx.context('hours')).toEqualTypeOf<string>();
  expectTypeOf(ctx.halt('enough')).toBeNever();
}
