import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/engine/dispatch.ts';
import { HTTPError } from '../../src/engine/http-error.ts';
import { jsonResponse, problemResponse, RouteResponse } from '../../src/engine/message.ts';
import { defineRoute } from '../../src/route/define-route.ts';
import { media } from '../../src/route/media.ts';
import type { Route } from '../../src/route/route.ts';
import { toRoute } from '../../src/route/to-route.ts';
import type { OpResult, OpSpec, RunScope, Step } from '../../src/runs/run.ts';
import { verifies } from '../../src/testing/index.ts';
import { maxJsonLevels } from '../../src/tools/json-levels.ts';
import { maxToolBytes } from '../../src/tools/read-answer.ts';
import type { ToolCall, ToolResult } from '../../src/tools/tool.ts';
import {
  approvalRequired,
  callTool,
  refusalOverMcp,
  toolFailure,
  toTool,
  toToolResult,
} from '../../src/tools/tool.ts';

const principal = { id: 'desk', rootId: 'desk', authenticated: true, scopes: [] };
const Ticket = Type.Object({ id: Type.Integer() });

describe('toTool', () => {
  it('describes the example of the specification exactly as decided', () => {
    verifies('descriptor.example', 'descriptor.four-members', 'tool.annotations.members');
    const route = defineRoute(
      'GET',
      '/tickets/{id}/summary',
      {
        input: { id: Type.Integer(), style: Type.String({ default: 'short' }) },
        tool: true,
        summary: 'Summarise a ticket.',
      },
      ({ id, style }) => `${id} ${style}`,
    );
    expect(JSON.stringify(toTool(route))).toBe(
      '{"name":"get_tickets_by_id_summary","description":"Summarise a ticket.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"style":{"type":"string","default":"short"}},"required":["id"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"idempotentHint":true,"requiresApproval":false}}',
    );
  });

  it.each<[string, object, object | undefined]>([
    ['none without an output', {}, undefined],
    ['the schema of 200', { output: Ticket }, Ticket],
    ['the schema of 201', { output: { 201: Ticket } }, Ticket],
    ['the schema of 202', { output: { 202: Ticket } }, Ticket],
    ['200 before the others', { output: { 201: Type.Null(), 200: Ticket } }, Ticket],
    ['none for errors only', { output: { 404: Ticket } }, undefined],
    ['none for an answer that is not JSON', { output: media('image/png') }, undefined],
  ])('has an output schema only where JSON is declared: %s', (_, options, schema) => {
    verifies('descriptor.output-schema');
    const tool = toTool(toRoute('GET', '/a', { kind: 'handler' }, options));
    expect(tool.outputSchema).toEqual(schema);
    expect('outputSchema' in tool).toBe(schema !== undefined);
  });

  it('calls a tool destructive only for DELETE, or when told', () => {
    verifies('descriptor.destructive');
    const hints = (method: 'POST' | 'DELETE', options = {}): object =>
      toTool(toRoute(method, '/a', { kind: 'handler' }, options)).annotations;
    expect(hints('DELETE')).toHaveProperty('destructiveHint', true);
    expect(hints('POST', { destructive: true })).toHaveProperty('destructiveHint', true);
    expect(hints('POST')).not.toHaveProperty('destructiveHint');
    expect(hints('DELETE', { destructive: false })).not.toHaveProperty('destructiveHint');
  });

  it('says true or false for approval, and takes the hints from the options', () => {
    verifies('tool.annotations.requires-approval', 'tool.annotations.read-only-override');
    verifies('tool.annotations.idempotent-override');
    const options = { approval: 'required', readOnly: true, idempotent: true } as const;
    expect(toTool(toRoute('POST', '/a', { kind: 'handler' }, options)).annotations).toEqual({
      readOnlyHint: true,
      idempotentHint: true,
      requiresApproval: true,
    });
    expect(toTool(toRoute('POST', '/a', { kind: 'handler' })).annotations.requiresApproval).toBe(false);
  });

  it('leaves the long description to OpenAPI', () => {
    verifies('face.description.openapi-only');
    const route = toRoute('GET', '/a', { kind: 'handler' }, { summary: 'Short.', description: 'Long.' });
    expect(toTool(route).description).toBe('Short.');
    expect(JSON.stringify(toTool(route))).not.toContain('Long.');
  });
});

describe('toToolResult', () => {
  const ok = (value: unknown, status = 200): object => ({ ok: true, status, value });
  const failed = (status: number, message: string): object => ({ ok: false, status, message });
  const bytesOf = (text: string, mediaType: string, status = 200): RouteResponse =>
    new RouteResponse(status, { kind: 'bytes', bytes: new TextEncoder().encode(text), mediaType });
  const streamOf = (chunks: readonly (Uint8Array | Error)[], mediaType = 'text/plain'): RouteResponse => {
    const left = [...chunks];
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = left.shift();
        if (chunk === undefined) controller.close();
        else if (chunk instanceof Error) controller.error(chunk);
        else controller.enqueue(chunk);
      },
    });
    return new RouteResponse(200, { kind: 'stream', stream, mediaType });
  };

  it.each<[string, number, Record<string, string>, RouteResponse['body'], unknown]>([
    [
      'says where it leads',
      302,
      { location: '/b' },
      { kind: 'empty' },
      'answered 302 with Location: /b; it was not followed',
    ],
    ['says that it leads nowhere', 307, {}, { kind: 'empty' }, 'answered 307 without a Location'],
    [
      'has no bytes',
      301,
      {},
      bytesOf('', 'application/octet-stream').body,
      'answered 301 without a Location',
    ],
    ['has nothing in JSON', 308, {}, bytesOf('', 'application/json').body, 'answered 308 without a Location'],
    ['says null', 303, {}, jsonResponse(null).body, 'answered 303 without a Location'],
    ['has a text', 302, {}, bytesOf('Moved.', 'text/html').body, 'answered 302 without a Location\n\nMoved.'],
    [
      'streams a text',
      302,
      {},
      streamOf([Buffer.from('Moved.')]).body,
      'answered 302 without a Location\n\nMoved.',
    ],
    ['has a value', 303, { location: '/b' }, jsonResponse({ id: 7 }).body, { id: 7 }],
    [
      'has JSON of an upstream',
      303,
      { location: '/b' },
      bytesOf('{"id":7}', 'application/json').body,
      { id: 7 },
    ],
    ['is none', 304, { location: '/b' }, { kind: 'empty' }, null],
    ['is a success', 201, { location: '/b' }, { kind: 'empty' }, null],
  ])('reads a redirect that %s', async (_, status, headers, body, value) => {
    verifies('proxy.redirects.tool');
    expect(await toToolResult(new RouteResponse(status, body, headers))).toEqual(ok(value, status));
  });

  it.each<[string, RouteResponse, object]>([
    ['a value', jsonResponse({ a: [1, null] }), ok({ a: [1, null] })],
    ['a value with a status', jsonResponse('x', 201), ok('x', 201)],
    ['nothing', new RouteResponse(204, { kind: 'empty' }), ok(null, 204)],
    ['text', bytesOf('grüß', 'text/plain; charset=utf-8'), ok('grüß')],
    ['JSON in bytes', bytesOf('{"a":1}', 'application/json; charset=utf-8'), ok({ a: 1 })],
    ['JSON of another type', bytesOf('{"a":1}', 'application/geo+json'), ok({ a: 1 })],
    ['what claims to be JSON and is none', bytesOf('{"a":', 'application/json'), ok('{"a":')],
    ['an image', bytesOf('abc', 'Image/PNG'), ok({ $image: { media_type: 'image/png', data: 'YWJj' } })],
    ['a sound', bytesOf('abc', 'audio/wav'), ok({ $audio: { media_type: 'audio/wav', data: 'YWJj' } })],
    [
      'other bytes',
      bytesOf('abc', 'application/pdf'),
      ok({ $bytes: { media_type: 'application/pdf', data: 'YWJj' } }),
    ],
    ['a problem', problemResponse(404, 'no such ticket'), failed(404, 'no such ticket')],
    [
      'a problem with its code',
      problemResponse(403, 'too much', { code: 'declined' }),
      { ...failed(403, 'too much'), code: 'declined' },
    ],
    ['a text of an error', jsonResponse('no such ticket', 404), failed(404, 'no such ticket')],
    ['a value of an error', jsonResponse({ title: 'gone' }, 410), failed(410, '{"title":"gone"}')],
    ['an error without a body', new RouteResponse(500, { kind: 'empty' }), failed(500, 'null')],
    ['bytes of an error', bytesOf('%PDF', 'application/pdf', 502), failed(502, 'null')],
    ['an error that claims to be JSON', bytesOf('"gone', 'application/json', 502), failed(502, '"gone')],
    ['a JSON text of an upstream', bytesOf('"gone"', 'application/json', 502), failed(502, 'gone')],
    ['an answer below 400', jsonResponse('moved', 399), ok('moved', 399)],
    ['an answer of 400', jsonResponse('bad', 400), failed(400, 'bad')],
    ['a stream', streamOf([new TextEncoder().encode('a'), new TextEncoder().encode('b')]), ok('ab')],
    ['an empty stream', streamOf([]), ok('')],
    [
      'a stream of an image',
      streamOf([new Uint8Array([1])], 'image/gif'),
      ok({ $image: { media_type: 'image/gif', data: 'AQ==' } }),
    ],
    [
      'a stream that breaks',
      streamOf([new Uint8Array(1), new Error('ECONNRESET 10.0.0.1')]),
      failed(502, 'the answer broke off'),
    ],
    ['a stream that fails for a reason', streamOf([new HTTPError(504, 'too slow')]), failed(504, 'too slow')],
  ])('reads %s', async (_, response, result) => {
    expect(await toToolResult(response)).toEqual(result);
  });

  it.each([
    ['{"id":1234567890123456789}', '1234567890123456789'],
    ['[1e999]', '1e999'],
    [`[${'7'.repeat(400)}]`, `${'7'.repeat(40)}…`],
  ])('gives a model the text of %s, and refuses it to a program', async (text, shown) => {
    verifies('proxy.numbers');
    const response = bytesOf(text, 'application/json');
    expect(await toToolResult(response, undefined, 'model')).toEqual(ok(text));
    expect(await toToolResult(response)).toEqual(
      failed(
        502,
        `the call was made, and its answer holds ${shown}, a number that JavaScript does not keep; as a string it is kept`,
      ),
    );
  });

  it('gives a model the digits of a fraction, a program the nearest', async () => {
    const response = bytesOf('{"share":3.33333333333333333333}', 'application/json');
    expect(await toToolResult(response, undefined, 'model')).toEqual(ok('{"share":3.33333333333333333333}'));
    expect(await toToolResult(response)).toEqual(ok({ share: 10 / 3 }));
  });

  it('has no code where the problem has none, so that it is stored as it was', async () => {
    expect(await toToolResult(problemResponse(404, 'gone'))).not.toHaveProperty('code');
  });

  it('encodes bytes that are a view of a larger buffer', async () => {
    const bytes = new TextEncoder().encode('xxabcxx').subarray(2, 5);
    const result = await toToolResult(
      new RouteResponse(200, { kind: 'bytes', bytes, mediaType: 'image/png' }),
    );
    expect(result).toMatchObject({ value: { $image: { data: 'YWJj' } } });
  });

  it.each([
    ['under', maxToolBytes - 1, { ok: true, length: maxToolBytes - 1 }],
    ['at', maxToolBytes, { ok: true, length: maxToolBytes }],
    [
      'over',
      maxToolBytes + 1,
      { ok: false, status: 502, message: 'the answer is larger than 8388608 bytes' },
    ],
  ])('drains a stream %s the limit of 8 MiB', async (_, length, outcome) => {
    const half = new Uint8Array(length >> 1);
    const result = await toToolResult(streamOf([half, new Uint8Array(length - half.length)], 'text/plain'));
    expect(maxToolBytes).toBe(8_388_608);
    expect(result.ok ? { ok: true, length: String(result.value).length } : result).toEqual(outcome);
  });

  it('stops a stream that is too large instead of reading on', async () => {
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1_048_576)),
      cancel: () => {
        cancelled = true;
      },
    });
    const response = new RouteResponse(200, { kind: 'stream', stream, mediaType: 'text/plain' });
    expect(await toToolResult(response)).toMatchObject({ ok: false, status: 502 });
    expect(cancelled).toBe(true);
  });

  const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
  const upstreamOf = (text: string) =>
    new RouteResponse(200, { kind: 'bytes', bytes: Buffer.from(text), mediaType: 'application/json' });
  const jsonOf = (text: string) => new RouteResponse(200, { kind: 'json', text });

  it.each([
    ['under', maxJsonLevels - 1, true],
    ['at', maxJsonLevels, true],
    ['over', maxJsonLevels + 1, false],
    ['far over', 100_000, false],
  ])(
    'takes JSON that is nested %s 256 levels, from a handler and from an upstream',
    async (_, levels, isTaken) => {
      verifies('run.values.deep');
      expect(maxJsonLevels).toBe(256);
      const failure = { ok: false, status: 502, message: 'the answer is nested deeper than 256 levels' };
      for (const response of [jsonOf(nested(levels)), upstreamOf(nested(levels))]) {
        const result = await toToolResult(response);
        if (isTaken) expect(JSON.stringify(result.ok && result.value)).toBe(nested(levels));
        else expect(result).toEqual(failure);
      }
    },
  );

  it('takes brackets in a text for a text', async () => {
    const text = '['.repeat(1_000);
    expect(await toToolResult(jsonOf(JSON.stringify(text)))).toMatchObject({ value: text });
    // It only claims to be JSON.
    expect(await toToolResult(upstreamOf(text))).toMatchObject({ value: text });
  });
});

describe('callTool', () => {
  const route = toRoute('POST', '/a', { kind: 'handler' }, { tool: true });
  const calls: Call[] = [];
  const dispatcher = {
    dispatch: async (call: Call) => {
      calls.push(call);
      return jsonResponse({ done: true });
    },
  };
  const call = (more: Partial<ToolCall> = {}): ToolCall => ({
    route,
    arguments: { id: 7 },
    principal,
    via: 'mcp',
    requestId: 'r1',
    ...more,
  });
  const lastCall = (): Call | undefined => calls.at(-1);

  /** A scope that runs each step at once and remembers what was asked. */
  function recordingScope(): { scope: RunScope; specs: OpSpec[]; step: Step } {
    const specs: OpSpec[] = [];
    const step = { runId: 'run', seq: 3, key: 'run.3', grantedTokens: null } as Step;
    const op = async <T>(spec: OpSpec, body: (step: Step) => Promise<OpResult<T>>): Promise<T> => {
      specs.push(spec);
      return (await body(step)).value;
    };
    const own = { ...principal, id: 'agent:clerk', scopes: ['a:read'] };
    const scope = { op, principal: own, signal: new AbortController().signal };
    return { scope: scope as unknown as RunScope, specs, step };
  }

  it('addresses the route itself, with arguments by name', async () => {
    verifies('door.by-route');
    const deadlineMs = 5;
    expect(await callTool(dispatcher, call({ deadlineMs }))).toEqual({
      ok: true,
      status: 200,
      value: { done: true },
    });
    expect(lastCall()).toEqual({
      route,
      input: { by: 'arguments', values: { id: 7 } },
      principal,
      via: 'mcp',
      requestId: 'r1',
      deadlineMs,
    });
  });

  it('tells nobody behind it who reads', async () => {
    const { scope } = recordingScope();
    const text = '[1234567890123456789]';
    const huge = {
      dispatch: async (one: Call) => {
        calls.push(one);
        return new RouteResponse(200, { kind: 'json', text });
      },
    };
    for (const way of [{ reader: 'model' }, { reader: 'model', scope, via: 'agent' }] as const) {
      expect(await callTool(huge, call(way))).toEqual({ ok: true, status: 200, value: text });
      expect(lastCall()).not.toHaveProperty('reader');
    }
    expect(await callTool(huge, call({ scope }))).toMatchObject({ ok: false, status: 502 });
    expect(await callTool(huge, call())).toMatchObject({ ok: false, status: 502 });
  });

  it('passes the caller on as it is: no scope of the route is added', async () => {
    verifies('auth.mcp.no-substitution');
    const scoped = toRoute('POST', '/a', { kind: 'handler' }, { tool: true, scopes: ['a:write'] });
    await callTool(dispatcher, call({ route: scoped }));
    expect(lastCall()?.principal).toBe(principal);
  });

  it('is a journaled step when it is made inside a run', async () => {
    const { scope, specs, step } = recordingScope();
    const after = Promise.resolve();
    const result = await callTool(dispatcher, call({ scope, after, via: 'agent' }));
    expect(result).toEqual({ ok: true, status: 200, value: { done: true } });
    expect(specs).toEqual([{ kind: 'call', name: 'create_a', input: { id: 7 }, repeat: 'never', after }]);
    expect(lastCall()?.step).toBe(step);
    expect(lastCall()).not.toHaveProperty('scope');
    expect(lastCall()).not.toHaveProperty('after');
  });

  it('is made with the principal and the signal of its run, and as nobody else', async () => {
    const { scope } = recordingScope();
    await callTool(dispatcher, { route, arguments: {}, via: 'agent', requestId: 'r1', scope });
    expect(lastCall()?.principal).toBe(scope.principal);
    expect(lastCall()?.signal).toBe(scope.signal);
  });

  it('is made by whoever the run hands over to, and can be stopped alone', async () => {
    const { scope } = recordingScope();
    const other = { ...principal, id: 'agent:other' };
    const { signal } = new AbortController();
    await callTool(dispatcher, call({ scope, principal: other, signal, via: 'agent' }));
    expect(lastCall()?.principal).toBe(other);
    expect(lastCall()?.signal).toBe(signal);
  });

  it('has no signal of its own outside a run', async () => {
    await callTool(dispatcher, call());
    expect(lastCall()).not.toHaveProperty('signal');
  });

  it('tells the journal why it is made, and the tool does not hear of it', async () => {
    const { scope, specs } = recordingScope();
    await callTool(dispatcher, call({ scope, reason: 'the parcel was empty', via: 'agent' }));
    expect(specs[0]?.reason).toBe('the parcel was empty');
    expect(lastCall()).not.toHaveProperty('reason');
    await callTool(dispatcher, call({ scope, via: 'agent' }));
    expect(specs[1]).not.toHaveProperty('reason');
  });

  it('gives back what the journal holds', async () => {
    const recorded: ToolResult = { ok: false, status: 404, message: 'no such ticket' };
    const scope = { op: async () => recorded } as unknown as RunScope;
    const before = calls.length;
    expect(await callTool(dispatcher, call({ scope }))).toBe(recorded);
    expect(calls).toHaveLength(before);
  });

  it.each<[string, Route, OpSpec['repeat']]>([
    ['reads', toRoute('GET', '/a', { kind: 'handler' }), 'safe'],
    ['is idempotent', toRoute('PUT', '/a', { kind: 'handler' }), 'safe'],
    ['commits with its step', toRoute('POST', '/a', { kind: 'resource', durability: 'transaction' }), 'safe'],
    ['has a journal of its own', toRoute('POST', '/a', { kind: 'agent', durability: 'run' }), 'safe'],
    ['does anything else', toRoute('POST', '/a', { kind: 'handler' }), 'never'],
  ])('says whether a step may be repeated after a crash: a tool that %s', async (_, tool, repeat) => {
    const { scope, specs } = recordingScope();
    await callTool(dispatcher, call({ route: tool, scope }));
    expect(specs[0]?.repeat).toBe(repeat);
  });
});

describe('the texts of the specification', () => {
  it('words the refusal of a gated tool', () => {
    expect(refusalOverMcp('create_refunds')).toBe(
      'tool "create_refunds" requires human approval and cannot be invoked directly over MCP',
    );
    expect(approvalRequired).toBe('approval_required');
  });

  it('words the failure of a tool', () => {
    expect(toolFailure('get_a', 404, 'no such ticket')).toBe('tool get_a failed with 404: no such ticket');
  });
});
