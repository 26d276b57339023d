import {
  callTool,
  createRouteTable,
  defineRoute,
  type EngineRouteOptions,
  type InputShape,
  type Route,
  toRoute,
  type Values,
} from '@waymark/contract';
import type { Engine } from '@waymark/contract/engine';
import { anonymous } from '@waymark/contract/principal';
import type { StandardIssue, StandardResult, StandardSchema } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../src/index.ts';

const caller = { principal: anonymous(), via: 'mcp', requestId: 'r1' } as const;

/** What a library would make, by hand. */
function library<T>(
  validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>,
  schema: Record<string, unknown> = {},
): StandardSchema<unknown, T> {
  const describe = () => ({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'byhand',
      validate,
      jsonSchema: { input: describe, output: describe },
    },
  };
}

const whole = library(
  (value) =>
    Number.isInteger(value) ? { value: Number(value) } : { issues: [{ message: 'is not a whole number' }] },
  { type: 'integer' },
);

const lines: unknown[] = [];

/** Calls a route that answers what it was given. */
function call(input: InputShape, values: Values, options: EngineRouteOptions = {}) {
  const engine: Engine = { kind: 'handler', answer: (context) => context.input };
  const route = toRoute('POST', '/p', engine, { input, tool: true, ...options });
  expect(route.problems).toEqual([]);
  return callOf(route, values);
}

function callOf(route: Route, values: Values) {
  const dispatcher = createDispatcher(createRouteTable([route]).freeze(), {
    log: (level, text, fields) => void lines.push([level, text, fields]),
  });
  return callTool(dispatcher, { route, arguments: values, ...caller });
}

const refusedBy = (...issues: readonly StandardIssue[]) => library(() => ({ issues }));

describe('a parameter of a library', () => {
  it('is what the library gives, and left out where that is nothing', async () => {
    verifies('face.library.transforms');
    const doubled = library((value) => ({ value: value === undefined ? undefined : Number(value) * 2 }));
    expect(await call({ n: doubled }, { n: 4 })).toMatchObject({ ok: true, value: { n: 8 } });
    expect(await call({ n: doubled }, {})).toMatchObject({ ok: true, value: {} });
    const engine: Engine = { kind: 'handler', answer: ({ input }) => typeof input['constructor'] };
    const odd = toRoute('POST', '/p', engine, { input: { constructor: doubled }, tool: true });
    expect(await callOf(odd, {})).toMatchObject({ ok: true, value: 'undefined' });
    expect(await callOf(odd, { constructor: 4 })).toMatchObject({ ok: true, value: 'number' });
  });

  it('never changes what the caller holds', async () => {
    const values = { n: 4 };
    await call({ n: library(() => ({ value: 'other' })) }, values);
    expect(values).toEqual({ n: 4 });
  });

  it('is refused with everything else, its paths as pointers', async () => {
    const inner = refusedBy({ message: 'is\nwrong', path: ['a/b', { key: '~' }, 0] });
    const message = '/more is not known; /x must be string; /o/a~1b/~0/0 is wrong';
    expect(await call({ o: inner, x: { type: 'string' } }, { o: 1, x: 2, more: 3 })).toMatchObject({
      ok: false,
      status: 422,
      message,
    });
  });

  it('has its faults counted and cut', async () => {
    const many = Array.from({ length: 100_000 }, () => ({
      message: 'm'.repeat(9_999),
      path: ['p'.repeat(9_999)],
    }));
    const answer = await call({ o: refusedBy(...many.slice(0, 9)) }, { o: 1 });
    expect(answer).toMatchObject({ ok: false });
    expect('message' in answer && answer.message.split('; ')).toHaveLength(8);
    expect('message' in answer && answer.message.length).toBeLessThan(8 * 2 * 260);
    expect(
      await call({ o: library(() => ({ issues: many })), p: refusedBy({ message: 'x' }) }, { o: 1, p: 1 }),
    ).toMatchObject({ ok: false, status: 422 });
  });

  it('is refused where the library has no words for it, or none at all', async () => {
    const wordless: StandardIssue = Object.defineProperty({ message: '' }, 'message', {
      get: () => {
        throw new Error('no words');
      },
    });
    expect(await call({ o: refusedBy(wordless) }, { o: 1 })).toMatchObject({ message: '/o is not valid' });
    expect(await call({ o: refusedBy() }, { o: 1 })).toMatchObject({ message: '/o is not valid' });
  });

  it('is waited for where the library waits, and a promise is never taken for a yes', async () => {
    const later = (answer: StandardResult<unknown>) =>
      library(() => new Promise<typeof answer>((done) => setImmediate(() => done(answer))));
    expect(await call({ o: later({ value: 'later' }) }, { o: 1 })).toMatchObject({ value: { o: 'later' } });
    expect(await call({ o: later({ issues: [{ message: 'not now' }] }) }, { o: 1 })).toMatchObject({
      status: 422,
      message: '/o not now',
    });
    const thenable = {
      '~standard': {
        ...later({ issues: [{ message: 'no' }] })['~standard'],
        // biome-ignore lint/suspicious/noThenProperty: a promise of the library's own
        validate: () => ({ then: (done: (answer: object) => void) => done({ issues: [{ message: 'no' }] }) }),
      },
    };
    expect(await call({ o: thenable as unknown as StandardSchema }, { o: 1 })).toMatchObject({ status: 422 });
  });

  it('is given up on at the deadline of the route', async () => {
    const never = library((value) => (value === undefined ? { issues: [] } : new Promise(() => undefined)));
    expect(await call({ o: never }, { o: 1 }, { timeoutMs: 20 })).toMatchObject({ ok: false, status: 504 });
  });

  it.each([
    [
      'at once',
      () => {
        throw new Error('secret');
      },
    ],
    ['later', () => Promise.reject(new Error('secret'))],
  ])('makes a logged 500 of what its code throws: %s', async (_, validate) => {
    lines.length = 0;
    const waits = library(() => Promise.reject(new Error('nobody waits for it')));
    expect(await call({ p: waits, o: library(validate) }, { o: 1, p: 1 })).toMatchObject({
      status: 500,
      message: 'internal error',
    });
    expect(lines).toHaveLength(1);
  });

  it('is read by its JSON Schema in a path and a query', async () => {
    const route = defineRoute('GET', '/p/{n}', { input: { n: whole } }, ({ n }) => n);
    const dispatcher = createDispatcher(createRouteTable([route]).freeze());
    const send = async (n: string) => {
      const { status } = await dispatcher.dispatch({
        ...{ route, ...caller, via: 'http' },
        input: {
          by: 'request',
          method: 'GET',
          path: `/p/${n}`,
          headers: {},
          body: noBody,
          params: { n },
          search: '',
        },
      });
      return status;
    };
    expect([await send('5'), await send('5.5'), await send('x')]).toEqual([200, 422, 422]);
  });

  it('is asked after its description where a value is large', async () => {
    let asked = 0;
    const list = library(
      (value) => {
        asked += 1;
        return { value };
      },
      { type: 'array', items: { type: 'string' } },
    );
    const route = defineRoute('POST', '/p', { input: { list }, tool: true }, () => 1);
    asked = 0;
    const items = (count: number) => Array.from({ length: count }, () => 1);
    // Small enough: the library knows better than its description.
    expect(await callOf(route, { list: items(5_000) })).toMatchObject({ ok: true });
    expect(asked).toBe(1);
    expect(await callOf(route, { list: items(5_001) })).toMatchObject({
      status: 422,
      message: expect.stringMatching(/^\/list\/0 must be string; /) as string,
    });
    expect(asked).toBe(1);
    expect(await callOf(route, { list: items(5_001).map(String) })).toMatchObject({ ok: true });
  });
});

describe('a library for the whole input', () => {
  const size = library(
    (value) => {
      const { n, ...rest } = value as { n?: unknown };
      return typeof n === 'number'
        ? { value: { n: n + 1, rest } }
        : { issues: [{ message: 'no', path: ['n'] }] };
    },
    { type: 'object', properties: { n: { type: 'number' }, m: {} }, required: ['n'] },
  );

  it('validates and makes all of it', async () => {
    verifies('face.library.whole');
    expect(await call(size, { n: 1, m: 2 })).toMatchObject({ value: { n: 2, rest: { m: 2 } } });
    expect(await call(size, { m: 2 })).toMatchObject({ status: 422, message: '/n is required' });
    expect(await call(size, { n: 'x' })).toMatchObject({ message: '/n no' });
    expect(await call(size, { n: 1, o: 2 })).toMatchObject({ message: '/o is not known' });
  });

  it('stays open where it says so', async () => {
    const open = library((value) => ({ value: value as object }), {
      type: 'object',
      additionalProperties: {},
    });
    expect(await call(open, { any: 1 })).toMatchObject({ value: { any: 1 } });
  });

  it('has the parameters of its path', () => {
    const faults = toRoute('GET', '/p/{id}', { kind: 'handler' }, { input: size }).problems;
    expect(faults[0]?.rule).toBe('path parameter {id} is not a property of the input schema');
  });
});

const noBody = {
  contentType: undefined,
  contentLength: 0,
  read: () => Promise.resolve(new Uint8Array(0)),
  stream: () => new ReadableStream<Uint8Array>(),
};
