import fc from 'fast-check';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { media } from '../../src/route/media.ts';
import { from } from '../../src/route/place.ts';
import type { Method, Route } from '../../src/route/route.ts';
import type { EngineRouteOptions } from '../../src/route/to-route.ts';
import { defaultMaxBodyBytes, toRoute } from '../../src/route/to-route.ts';
import { verifies } from '../../src/testing/index.ts';

const engine: Engine = { kind: 'handler', answer: () => null };

function route(method: Method, options: EngineRouteOptions = {}, path = '/a'): Route {
  return toRoute(method, path, engine, options);
}

/** The rules a declaration breaks. */
function rules(options: object, path = '/a', method: Method = 'GET'): readonly string[] {
  return route(method, options, path).problems.map(({ rule }) => rule);
}

describe('toRoute, defaults', () => {
  it('fills every option that is left out', () => {
    verifies('route.option.tool.default', 'route.option.scopes.default', 'route.option.approval.default');
    const { declaredAt, ...rest } = route('GET');
    expect(declaredAt).toMatch(/to-route\.test\.ts:\d+$/);
    expect(rest).toEqual({
      name: 'get_a',
      method: 'GET',
      path: '/a',
      plane: 'data',
      placement: 'any',
      socket: false,
      parameters: [],
      inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      strict: true,
      strictQuery: undefined,
      body: 'none',
      maxBodyBytes: 1_048_576,
      maxBodyValues: undefined,
      output: {},
      progress: false,
      timeoutMs: undefined,
      tool: false,
      scopes: [],
      approval: 'never',
      approver: {},
      readOnly: true,
      idempotent: true,
      destructive: false,
      summary: 'GET /a',
      description: '',
      deprecated: undefined,
      engine,
      facts: {},
      problems: [],
    });
  });

  it('keeps every option that is given', () => {
    const given: EngineRouteOptions = {
      tool: true,
      toolName: 'look',
      scopes: ['a:read'],
      approval: 'required',
      approver: { scope: 'boss', fourEyes: true, expiresMs: 1_000 },
      readOnly: false,
      idempotent: false,
      destructive: true,
      summary: 'Looks.',
      description: 'Looks for long.',
      deprecated: '2026-11-20',
      maxBodyBytes: 10,
      timeoutMs: 5,
      strictQuery: true,
      placement: 'owner',
      declaredAt: 'app.ts:1',
      body: 'source',
      plane: 'control',
      strict: false,
      progress: true,
    };
    const { toolName, ...same } = given;
    expect(route('GET', given)).toMatchObject({ ...same, name: toolName, problems: [] });
  });

  it.each<[Method, boolean, boolean, boolean]>([
    ['GET', true, true, false],
    ['POST', false, false, false],
    ['PUT', false, true, false],
    ['PATCH', false, false, false],
    ['DELETE', false, true, true],
  ])('takes the hints from the method %s', (method, readOnly, idempotent, destructive) => {
    verifies(
      'route.option.read-only.default',
      'route.option.idempotent.default',
      'tool.annotations.by-method',
    );
    expect(route(method)).toMatchObject({ readOnly, idempotent, destructive });
  });

  it('lets a route state its own hints', () => {
    verifies('route.option.read-only', 'route.option.idempotent');
    expect(route('POST', { readOnly: true, idempotent: true, destructive: true })).toMatchObject({
      readOnly: true,
      idempotent: true,
      destructive: true,
    });
    expect(route('DELETE', { idempotent: false, destructive: false })).toMatchObject({
      idempotent: false,
      destructive: false,
    });
  });

  it('is named by toolName when one is given, else after method and path', () => {
    verifies('tool.name.override', 'route.option.tool-name', 'route.option.tool-name.default');
    expect(route('GET', { toolName: 'look' }).name).toBe('look');
    expect(route('GET', { tool: true }).name).toBe('get_a');
  });

  it('names control routes without the prefix they are served under', () => {
    expect(route('GET', { plane: 'control' }, '/tools').name).toBe('get_svc_tools');
  });

  it('reads METHOD path when there is no summary, an empty one included', () => {
    verifies('face.description.never-empty');
    expect(route('POST').summary).toBe('POST /a');
    expect(route('POST', { summary: '' }).summary).toBe('POST /a');
    expect(route('POST', { summary: 'Does a.' }).summary).toBe('Does a.');
  });

  it('has a body limit of 1 MiB', () => {
    expect(defaultMaxBodyBytes).toBe(1_048_576);
  });
});

describe('toRoute, body', () => {
  it.each<[string, Method, EngineRouteOptions, Route['body']]>([
    ['nothing for GET', 'GET', {}, 'none'],
    ['nothing for DELETE with query parameters', 'DELETE', { input: { a: Type.String() } }, 'none'],
    ['JSON for a body parameter', 'POST', { input: { a: Type.String() } }, 'json'],
    ['JSON for a whole body', 'PUT', { input: { a: from('content', Type.String()) } }, 'json'],
    ['JSON for a raw schema', 'PATCH', { input: { type: 'object' } }, 'json'],
    ['nothing for GET with a raw schema', 'GET', { input: { type: 'object' } }, 'none'],
    ['any bytes without parameters', 'POST', {}, 'any'],
    [
      'any bytes when all parameters travel elsewhere',
      'POST',
      { input: { a: from('query', Type.String()) } },
      'any',
    ],
    ['what the engine asks for', 'POST', { input: { a: Type.String() }, body: 'source' }, 'source'],
  ])('takes %s', (_, method, options, body) => {
    expect(route(method, options).body).toBe(body);
  });
});

describe('toRoute, output', () => {
  const Ticket = Type.Object({ id: Type.Integer() });

  it('reads one schema as the answer 200', () => {
    verifies('face.output.one');
    expect(route('GET', { output: Ticket }).output).toEqual({ 200: Ticket });
  });

  it('reads a map of statuses', () => {
    verifies('face.output.by-status');
    const byStatus = { 200: Ticket, 204: Type.Null(), 404: Type.Object({ title: Type.String() }) };
    expect(route('GET', { output: byStatus }).output).toEqual(byStatus);
  });

  it('reads a schema with keywords only, and an empty one, as the answer 200', () => {
    expect(route('GET', { output: { anyOf: [Ticket] } }).output).toEqual({ 200: { anyOf: [Ticket] } });
    expect(route('GET', { output: {} }).output).toEqual({ 200: {} });
  });

  it('keeps what is not JSON', () => {
    expect(route('GET', { output: { 200: media('image/png') } }).output).toEqual({ 200: media('image/png') });
  });

  it('makes schemas plain and says what JSON does not have', () => {
    const made = route('GET', { output: { 200: Type.Tuple([Type.String()]), 404: Type.BigInt() } });
    expect(made.output[200]).toMatchObject({ prefixItems: [{ type: 'string' }] });
    expect(made.problems.map(({ rule }) => rule)).toEqual([
      'output 404 has the type "bigint", which JSON does not have',
    ]);
  });
});

describe('toRoute, problems', () => {
  it('says which declaration, where, and the nearest name', () => {
    const { problems } = toRoute('GET', '/a', engine, { toolname: 'x', declaredAt: 'app.ts:3' } as never);
    expect(problems).toEqual([
      {
        code: 'unknown-option',
        declaration: 'route GET /a',
        rule: 'unknown option "toolname"',
        nearest: 'toolName',
        at: 'app.ts:3',
      },
    ]);
  });

  it('says so of facts that nobody reads', () => {
    const { problems } = toRoute('GET', '/a', engine, { facts: { answer: {}, sends: 'ETag' } } as never);
    expect(problems.map(({ rule, nearest }) => [rule, nearest])).toEqual([
      ['unknown option "facts.answer"', 'answers'],
      [expect.stringMatching(/^facts\.sends /), undefined],
    ]);
  });

  it('gives no nearest name when none is near', () => {
    expect(route('GET', { banana: 1 } as never).problems[0]).not.toHaveProperty('nearest');
  });

  it.each<[object, string]>([
    [{ toolName: 'has space' }, 'tool name "has space" is not 1 to 64 letters, digits, "_" or "-"'],
    [{ toolName: '' }, 'tool name "" is not 1 to 64 letters, digits, "_" or "-"'],
    [
      { toolName: 'x'.repeat(65) },
      `tool name "${'x'.repeat(65)}" is not 1 to 64 letters, digits, "_" or "-"`,
    ],
    [{ toolName: 5 }, 'toolName is not a text'],
    [{ scopes: 'a:read' }, 'scopes are not a list of words without spaces'],
    [{ scopes: ['a read'] }, 'scopes are not a list of words without spaces'],
    [{ scopes: [''] }, 'scopes are not a list of words without spaces'],
    [{ scopes: null }, 'scopes are not a list of words without spaces'],
    [{ approval: 'always' }, 'unknown approval "always"'],
    [{ maxBodyBytes: Number.NaN }, 'maxBodyBytes is not a number of bytes'],
    [{ maxBodyBytes: '1MB' }, 'maxBodyBytes is not a number'],
    [{ maxBodyBytes: -1 }, 'maxBodyBytes is not a number of bytes'],
    [{ maxBodyValues: 0 }, 'maxBodyValues is not a number of values from 1'],
    [{ maxBodyValues: Number.NaN }, 'maxBodyValues is not a number of values from 1'],
    [{ approval: {} }, 'approval is not never or required'],
    [{ timeoutMs: '5' }, 'timeoutMs is not a number'],
    [{ timeoutMs: 0 }, 'timeoutMs is not a positive number of milliseconds'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs is not a positive number of milliseconds'],
    [{ output: null }, 'output is not a schema'],
    [{ output: 'text' }, 'output is not a schema'],
    [{ output: { 200: {}, 404: null } }, 'output 404 is not a schema'],
    [{ input: { a: 5 } }, 'input "a" is not a schema'],
    [{ output: { 200: {}, '2xx': {} } }, 'output "2xx" stands for no status'],
    [{ output: { 99: {} } }, 'output "99" stands for no status'],
    [{ output: { 600: {} } }, 'output "600" stands for no status'],
    [{ approver: { scope: 'boss' } }, 'an approver is named, and nobody is asked: approval is never'],
    [{ approval: 'required', approver: 'boss' }, 'approver is not an object'],
    [{ approval: 'required', approver: { scope: 5 } }, 'approver.scope is not a text'],
    [{ approval: 'required', approver: { scopes: 'a' } }, 'unknown option "approver.scopes"'],
    [{ approval: 'required', approver: { scope: 'a b' } }, 'scopes are not a list of words without spaces'],
    [
      { approval: 'required', approver: { expiresMs: 0 } },
      'approver.expiresMs is not a positive number of milliseconds',
    ],
    [{ tool: true, socket: true }, 'a route that only answers upgrades cannot be a tool'],
  ])('finds %j', (options, rule) => {
    expect(rules(options)).toEqual([rule]);
  });

  it.each<object>([
    { toolName: 'x'.repeat(64) },
    { toolName: '0-_Z' },
    { maxBodyBytes: 0 },
    { maxBodyBytes: Number.POSITIVE_INFINITY },
    { maxBodyValues: 1 },
    { maxBodyValues: Number.POSITIVE_INFINITY },
    { timeoutMs: 1 },
    { scopes: ['svc:admin', 'a'] },
    { approval: 'required' },
    { input: undefined, output: undefined },
  ])('finds nothing wrong with %j', (options) => {
    expect(rules(options)).toEqual([]);
  });

  it('takes what is not a text for a method or path that is none', () => {
    const made = toRoute(5 as never, null as never, engine);
    expect(made).toMatchObject({ method: '<number>', path: '<object>' });
    expect(made.problems.map(({ declaration, rule }) => [declaration, rule])).toEqual([
      ['route <number> <object>', 'unknown method "<number>"'],
      ['route <number> <object>', 'the path is not a text'],
    ]);
  });

  it('keeps no option that has another type than its own', () => {
    const wild = { tool: 'false', scopes: 'a', timeoutMs: '5', approval: 'always', summary: 5 };
    expect(route('GET', wild as never)).toMatchObject({
      ...{ tool: false, scopes: [], timeoutMs: undefined, approval: 'never', summary: 'GET /a' },
    });
  });

  it('looks into every schema, of input and of output', () => {
    const made = route('POST', {
      input: { lines: Type.Array(Type.Object({ count: { type: 'integr' } as never })) },
      output: { 200: Type.Array(Type.String({ pattern: '(' })) },
    });
    expect(made.problems.map(({ rule }) => rule)).toEqual([
      'input "lines" at /items/properties/count has the type "integr", which JSON does not have',
      'output 200 at /items: the pattern "(" is no regular expression: unterminated group',
    ]);
  });

  it('finds schemas that hold themselves, wherever they stand', () => {
    const tree: { items?: object } = {};
    tree.items = tree;
    const problems = rules({ input: { a: tree }, output: { 200: {}, 404: tree } });
    expect(problems).toEqual([
      'input is a schema that holds itself, or a part of it over and over',
      'output 404 is a schema that holds itself, or a part of it over and over',
    ]);
  });

  it('finds an unknown method and a path that is none', () => {
    expect(route('GTE' as Method).problems[0]).toMatchObject({
      rule: 'unknown method "GTE"',
      nearest: 'GET',
    });
    expect(rules({}, 'a')).toEqual(['path "a" does not start with "/"']);
  });

  it('finds all problems at once', () => {
    expect(
      rules({ toolName: '', timeoutMs: -1, banana: 1, input: { a: 5 }, output: null }, '/{x}/{x}'),
    ).toHaveLength(6);
  });

  it('never throws, whatever the options hold', () => {
    const names = fc.constantFrom(
      'tool',
      'toolName',
      'scopes',
      'approval',
      'input',
      'output',
      'maxBodyBytes',
      'timeoutMs',
      'summary',
      'body',
      'plane',
      'x',
    );
    const values = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom(undefined, Number.NaN, Type.BigInt(), Type.Tuple([])),
    );
    const options = fc.dictionary(names, values);
    const inputs = fc.record(
      {
        type: fc.constantFrom('object', 'array', 5),
        properties: fc.jsonValue({ maxDepth: 2 }),
        required: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.string(), options, fc.option(inputs, { nil: undefined }), (path, given, input) => {
        const made = toRoute('POST', `/{id}/${path}`, engine, (input ? { ...given, input } : given) as never);
        expect(made.problems).toBeInstanceOf(Array);
      }),
      { numRuns: 1_000 },
    );
  });
});
