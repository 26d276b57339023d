/**
 * The promises of the types: checked by the compiler with everything else, never run.
 */
import Type from 'typebox';
import { expectTypeOf } from 'vitest';
import type { Progress, RouteRequest } from '../../src/engine/message.ts';
import { defineRoute } from '../../src/route/define-route.ts';
import type { InputOf, ParamNames } from '../../src/route/handler.ts';
import { media } from '../../src/route/media.ts';
import { from } from '../../src/route/place.ts';
import { Reply, reply } from '../../src/route/reply.ts';

const Ticket = Type.Object({ id: Type.Integer(), title: Type.String(), urgent: Type.Boolean() });
const Missing = Type.Object({ title: Type.String() });
const ticket = { id: 1, title: 'Printer', urgent: false };

// The second argument is the request object.
defineRoute('GET', '/a', {}, (_input, request) => {
  expectTypeOf(request).toEqualTypeOf<RouteRequest>();
});

// Path templates: a parameter without a schema is a string.
expectTypeOf<ParamNames<'/a'>>().toBeNever();
expectTypeOf<ParamNames<'/a/{x}'>>().toEqualTypeOf<'x'>();
expectTypeOf<ParamNames<'/a/{x}/{y}/{rest*}'>>().toEqualTypeOf<'x' | 'y' | 'rest'>();
defineRoute('GET', '/a', {}, (input) => {
  // @ts-expect-error nothing is declared
  void input.x;
});
defineRoute('GET', '/a/{x}', {}, ({ x }) => expectTypeOf(x).toEqualTypeOf<string>());
defineRoute('GET', '/a/{rest*}', {}, ({ rest }) => expectTypeOf(rest).toEqualTypeOf<string>());
defineRoute('GET', '/a/{x}/{y}/{rest*}', {}, ({ x, y, rest }) =>
  expectTypeOf([x, y, rest]).toEqualTypeOf<string[]>(),
);
defineRoute('GET', '/a/{x}', { input: { x: Type.Integer() } }, ({ x }) =>
  expectTypeOf(x).toEqualTypeOf<number>(),
);
defineRoute('GET', '/a/{x}/{y}', { input: { x: Type.Integer() } }, ({ x, y }) => {
  expectTypeOf(x).toEqualTypeOf<number>();
  expectTypeOf(y).toEqualTypeOf<string>();
});
// @ts-expect-error no such parameter
defineRoute('GET', '/a/{x}', {}, ({ y }) => y);

// Input: a record of TypeBox schemas.
defineRoute(
  'GET',
  '/a',
  {
    input: {
      plain: Type.String(),
      defaulted: Type.String({ default: 'short' }),
      optional: Type.Optional(Type.Integer()),
      list: Type.Array(Type.Boolean()),
      either: Type.Union([Type.Literal('a'), Type.Null()]),
    },
  },
  (input) => {
    expectTypeOf(input.plain).toEqualTypeOf<string>();
    expectTypeOf(input.defaulted).toEqualTypeOf<string>();
    expectTypeOf(input.optional).toEqualTypeOf<number | undefined>();
    expectTypeOf(input.list).toEqualTypeOf<boolean[]>();
    expectTypeOf(input.either).toEqualTypeOf<'a' | null>();
    // @ts-expect-error input is not written to
    input.plain = 'x';
    // @ts-expect-error no such parameter
    void input.other;
  },
);
// @ts-expect-error a defaulted parameter is a string, not a number
defineRoute('GET', '/a', { input: { style: Type.String({ default: 'short' }) } }, ({ style }) => style * 2);
// @ts-expect-error an optional parameter may be missing
defineRoute('GET', '/a', { input: { lang: Type.Optional(Type.String()) } }, ({ lang }) => lang.length);
// @ts-expect-error a schema is an object
defineRoute('GET', '/a', { input: { id: 5 } }, () => 1);

// Input: a record of JSON Schemas.
defineRoute('POST', '/a', { input: { n: { type: 'integer' }, s: { enum: ['x', 'y'] } } }, ({ n, s }) => {
  expectTypeOf(n).toEqualTypeOf<number>();
  expectTypeOf(s).toEqualTypeOf<'x' | 'y'>();
});

// Input: one raw JSON Schema.
defineRoute(
  'POST',
  '/contacts',
  {
    input: {
      type: 'object',
      properties: { email: { type: 'string' }, age: { type: 'integer' } },
      required: ['email'],
      additionalProperties: false,
    },
  },
  ({ email, age }) => {
    expectTypeOf(email).toEqualTypeOf<string>();
    expectTypeOf(age).toEqualTypeOf<number | undefined>();
  },
);

// Input: moved with from(), which changes no type.
defineRoute('POST', '/a', { input: { notify: from('query', Type.Optional(Type.Boolean())) } }, ({ notify }) =>
  expectTypeOf(notify).toEqualTypeOf<boolean | undefined>(),
);
defineRoute('POST', '/import', { input: { rows: from('content', Type.Array(Ticket)) } }, ({ rows }) =>
  expectTypeOf(rows[0]?.title).toEqualTypeOf<string | undefined>(),
);
// @ts-expect-error no such place
from('header', Type.String());

// Input: none, and none of the input's type by name.
expectTypeOf<keyof InputOf<'/a', Record<never, never>>>().toBeNever();
expectTypeOf<InputOf<'/a/{x}', Record<never, never>>['x']>().toEqualTypeOf<string>();

// Output: not declared. Anything goes.
defineRoute('GET', '/a', {}, () => undefined);
defineRoute('GET', '/a', {}, () => reply(418, 'teapot'));
defineRoute('GET', '/a', {}, async () => new Reply('<p>', 200, {}, 'text/html'));

// Output: one schema means 200.
defineRoute('GET', '/a', { output: Ticket }, () => ticket);
defineRoute('GET', '/a', { output: Ticket }, async () => ticket);
defineRoute('GET', '/a', { output: Ticket }, () => reply(200, ticket));
// @ts-expect-error wrong success shape
defineRoute('GET', '/a', { output: Ticket }, () => ({ id: 'x' }));
// @ts-expect-error wrong success shape, later
defineRoute('GET', '/a', { output: Ticket }, async () => ({ id: 'x' }));
// @ts-expect-error an answer is missing
defineRoute('GET', '/a', { output: Ticket }, () => undefined);
// @ts-expect-error only 200 is declared
defineRoute('GET', '/a', { output: Ticket }, () => reply(404, { title: 'x' }));

// Output: a map of statuses.
const byStatus = { 200: Ticket, 404: Missing } as const;
defineRoute('GET', '/a/{id}', { output: byStatus }, ({ id }) =>
  id === '1' ? ticket : reply(404, { title: 'no such ticket' }),
);
defineRoute('POST', '/a', { output: { 201: Ticket } }, () => reply(201, ticket, { location: '/a/1' }));
defineRoute('POST', '/a', { output: { 201: Ticket } }, () => ticket);
// @ts-expect-error wrong body for 404
defineRoute('GET', '/a', { output: byStatus }, () => reply(404, { nope: 1 }));
// @ts-expect-error the body of 404 is not that of 200
defineRoute('GET', '/a', { output: byStatus }, () => reply(404, ticket.id));
// @ts-expect-error status not declared
defineRoute('GET', '/a', { output: { 200: Ticket } }, () => reply(409, { title: 'x' }));
// @ts-expect-error a body of 404 must come with its status
defineRoute('GET', '/a', { output: byStatus }, () => ({ title: 'no such ticket' }));

// Output: 204 lets a handler return nothing.
defineRoute('DELETE', '/a', { output: { 204: Type.Null() } }, () => undefined);
defineRoute('DELETE', '/a', { output: { 204: Type.Null(), 404: Missing } }, () => reply(404, { title: 'x' }));
// @ts-expect-error 204 has no body
defineRoute('DELETE', '/a', { output: { 204: Type.Null() } }, () => ticket);
// @ts-expect-error nothing may be returned only where 204 is declared
defineRoute('DELETE', '/a', { output: byStatus }, () => undefined);

// Output: not JSON.
defineRoute('GET', '/a', { output: { 200: media('image/png') } }, () => new Uint8Array());
defineRoute('GET', '/a', { output: media('text/csv') }, () => 'a,b');
defineRoute('GET', '/a', { output: media('text/csv') }, () => new ReadableStream<Uint8Array>());
// @ts-expect-error an object is no text, bytes or stream
defineRoute('GET', '/a', { output: { 200: media('image/png') } }, () => ({ id: 1 }));

// reply() and Reply keep what they were given.
expectTypeOf(reply(404, { title: 'x' })).toEqualTypeOf<Reply<404, { title: string }>>();
expectTypeOf(new Reply({ a: 1 }, 201).status).toEqualTypeOf<201>();

// Progress: an async generator yields it and returns the answer.
const counted = { output: Type.Object({ done: Type.Integer() }) };
defineRoute('POST', '/a', counted, async function* (): AsyncGenerator<Progress, { done: number }> {
  yield { event: 'progress', data: { row: 1 }, id: '1' };
  return { done: 1 };
});
defineRoute('POST', '/a', counted, async function* () {
  yield { event: 'whatever', data: null };
  return { done: 1 };
});
// @ts-expect-error what is yielded is progress
defineRoute('POST', '/a', counted, async function* () {
  yield 5;
  return { done: 1 };
});
// @ts-expect-error what is returned is the answer
defineRoute('POST', '/a', counted, async function* () {
  yield { event: 'progress', data: 1 };
  return { done: 'x' };
});

// Options.
// @ts-expect-error an option that does not exist
defineRoute('GET', '/a', { toolname: 'a' }, () => 1);
// @ts-expect-error an option of the wrong type
defineRoute('GET', '/a', { scopes: 'a:read' }, () => 1);
// @ts-expect-error a method that does not exist
defineRoute('FETCH', '/a', {}, () => 1);
