import { runInThisContext } from 'node:vm';
import Type from 'typebox';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { EngineContext } from '../../src/engine/engine.ts';
import { defineRoute } from '../../src/route/define-route.ts';
import type { Handler } from '../../src/route/handler.ts';
import { reply } from '../../src/route/reply.ts';
import type { Method } from '../../src/route/route.ts';
import { verifies } from '../../src/testing/index.ts';
import { toTool } from '../../src/tools/tool.ts';

/** A handler from its source: what compiles this file would strip comments from one written here. */
function compile(source: string): Handler<'', object, undefined> {
  return runInThisContext(`(${source})`) as Handler<'', object, undefined>;
}

const documented = compile('() => {\n  /**\n   * Says a.\n   * Twice.\n   */\n  return 1;\n}');
const request = { id: 'r1' } as EngineContext['request'];

/** Runs a route's engine the way a dispatcher does. */
function answer(route: { engine: { answer?(context: EngineContext): unknown } }, input: object): unknown {
  return route.engine.answer?.({ input, request } as EngineContext);
}

describe('defineRoute', () => {
  it('makes a handler route that gives the handler its input and the request', () => {
    verifies('face.signature.request');
    const route = defineRoute(
      'GET',
      '/a/{id}',
      { input: { id: Type.Integer() } },
      ({ id }, { id: requestId }) => [id, requestId],
    );
    expect(route.engine.kind).toBe('handler');
    expect(answer(route, { id: 7 })).toEqual([7, 'r1']);
  });

  // What follows is checked by the compiler too: see types.test-d.ts for every promise of the types.
  it('types the first argument by schemas and path template', () => {
    verifies('face.signature.typed-input', 'face.signature.path-strings');
    const input = { id: Type.Integer(), lang: Type.Optional(Type.String()) };
    const route = defineRoute('GET', '/a/{id}/{rest*}', { input }, ({ id, lang, rest }) => {
      expectTypeOf(id).toEqualTypeOf<number>();
      expectTypeOf(lang).toEqualTypeOf<string | undefined>();
      expectTypeOf(rest).toEqualTypeOf<string>();
      return [id, lang, rest];
    });
    expect(answer(route, { id: 7, rest: 'b/c' })).toEqual([7, undefined, 'b/c']);
    expect(route.parameters.find(({ name }) => name === 'rest')?.schema).toEqual({ type: 'string' });
  });

  it('types replies by what is declared for their status', () => {
    verifies('face.result.reply-function');
    const output = { 200: Type.Integer(), 404: Type.Object({ title: Type.String() }) };
    const route = defineRoute('GET', '/a', { output }, () => reply(404, { title: 'no such ticket' }));
    // @ts-expect-error another body than the declared one
    defineRoute('GET', '/a', { output }, () => reply(404, { nope: 1 }));
    // @ts-expect-error a status that is not declared
    defineRoute('GET', '/a', { output }, () => reply(409, { title: 'x' }));
    expect(answer(route, {})).toEqual(reply(404, { title: 'no such ticket' }));
  });

  it('follows the signature: the input schema is written nowhere else', () => {
    verifies('tool.input.from-signature', 'face.signature.record');
    const { inputSchema } = defineRoute(
      'POST',
      '/a',
      { input: { id: Type.Integer(), tag: Type.Optional(Type.String()) } },
      () => 1,
    );
    expect(JSON.parse(JSON.stringify(inputSchema))).toEqual({
      type: 'object',
      properties: { id: { type: 'integer' }, tag: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    });
  });

  it('describes itself by summary, else by the whole docstring, else by METHOD path', () => {
    verifies('face.description.order', 'face.description.never-empty', 'tool.description.summary');
    verifies('tool.description.docstring', 'route.option.summary', 'route.option.summary.default');
    const described = (summary: string | undefined, handler: typeof documented): string =>
      toTool(defineRoute('GET', '/a', summary === undefined ? {} : { summary }, handler)).description;
    expect(described('Summary.', documented)).toBe('Summary.');
    expect(described(undefined, documented)).toBe('Says a.\nTwice.');
    expect(described('', documented)).toBe('Says a.\nTwice.');
    expect(described(undefined, compile('() => 1'))).toBe('GET /a');
  });

  it.each<[Method, boolean]>([
    ['GET', true],
    ['POST', false],
  ])('takes the hints of %s from the method', (method, readOnly) => {
    expect(defineRoute(method, '/a', {}, () => 1).readOnly).toBe(readOnly);
  });

  it('reports progress when the handler is an async generator', () => {
    const generator = defineRoute('POST', '/a', {}, async function* () {
      yield { event: 'progress', data: 1 };
      return 2;
    });
    expect(generator.progress).toBe(true);
    expect(defineRoute('POST', '/a', {}, async () => 1).progress).toBe(false);
  });

  it('knows where it was declared, or where its wrapper says', () => {
    expect(defineRoute('GET', '/a', {}, () => 1).declaredAt).toMatch(
      /test\/route\/define-route\.test\.ts:\d+$/,
    );
    expect(defineRoute('GET', '/a', { declaredAt: 'app.ts:9' }, () => 1).declaredAt).toBe('app.ts:9');
  });

  it('keeps what is wrong for the table to tell', () => {
    const { problems } = defineRoute('GET', '/a', { toolname: 'a' } as never, () => 1);
    expect(problems).toMatchObject([{ rule: 'unknown option "toolname"', nearest: 'toolName' }]);
  });
});

it('a route without a handler is a problem of the boot, not of the declaration call', () => {
  const { problems } = defineRoute('GET', '/a', {}, undefined as never);
  expect(problems).toEqual([
    expect.objectContaining({ declaration: 'route GET /a', rule: 'has no handler' }),
  ]);
});

it('a handler that does not come last, and options that are none, are problems of the boot, too', () => {
  const lines = (options: unknown, handler: unknown): readonly (string | undefined)[] =>
    defineRoute('GET', '/a', options as never, handler as never).problems.map(({ code }) => code);
  expect(lines(() => 1, { tool: true })).toEqual(['handler-missing']);
  expect(lines({ tol: 1 }, undefined)).toEqual(['unknown-option', 'handler-missing']);
  for (const options of [null, 'tool', 5, []]) expect(lines(options, () => 1)).toEqual(['options-form']);
  expect(lines({}, () => 1)).toEqual([]);
});
