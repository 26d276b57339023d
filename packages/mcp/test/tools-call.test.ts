import { Type } from '@waymark/contract';
import { jsonResponse, problemResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { refusalOverMcp } from '@waymark/contract/tools';
import { describe, expect, it } from 'vitest';
import { principal, serve, standingAlone, textContent, tool, valuesOf } from './support.ts';

describe('tools/call', () => {
  it('dispatches the route itself, by arguments, as the caller', async () => {
    verifies('mcp.call', 'mcp.call.own-principal', 'auth.mcp.no-substitution', 'door.by-route');
    const route = tool('ring', { scopes: ['bell:ring'], input: { times: Type.Integer() } });
    const mcp = serve([route], () => jsonResponse({ rung: true }));
    const caller = principal('other');
    const charge = (): void => {};
    await mcp.call(
      'ring',
      { times: 2 },
      { principal: caller, requestId: 'r-7', clientAddress: '10.0.0.9', charge },
    );
    expect(mcp.calls).toHaveLength(1);
    const [call] = mcp.calls;
    expect({ ...call }).toEqual({
      route,
      input: { by: 'arguments', values: { times: 2 } },
      principal: caller,
      via: 'mcp',
      requestId: 'r-7',
      clientAddress: '10.0.0.9',
      charge,
    });
    expect(call?.principal).toBe(caller);
  });

  it('writes the trace that a client names into the log, and nothing of a bad one', async () => {
    const lines: unknown[] = [];
    const traced = async (meta: object) => {
      const { message, headers } = standingAlone('tools/call', { name: 'ring' }, { meta: { ...meta } });
      const log = (level: string, text: string, fields?: object) => lines.push([level, text, fields]);
      await serve([tool('ring')]).send(message, { headers, log });
    };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
    await traced({ traceparent, tracestate: 'vendor=1' });
    await traced({ traceparent, tracestate: 'x'.repeat(513) });
    await traced({ traceparent: 'my secret\nline', tracestate: 'vendor=1' });
    await traced({});
    expect(lines).toEqual([
      ['info', 'an MCP call of a trace', { tool: 'ring', traceparent, tracestate: 'vendor=1' }],
      ['info', 'an MCP call of a trace', { tool: 'ring', traceparent }],
    ]);
  });

  it('calls with no arguments when none are given', async () => {
    const mcp = serve([tool('ring')], (call) => jsonResponse(valuesOf(call)));
    expect(await mcp.call('ring')).toEqual({ content: [textContent('{}')], isError: false });
  });

  it('answers a failing tool with a normal result in the words of the specification', async () => {
    verifies('mcp.call.failure-is-result', 'error.mcp.tool-failed', 'error.mcp.tool-failed.is-error');
    const mcp = serve([tool('ring')], () => problemResponse(409, 'the bell is broken'));
    const { status, body } = await mcp.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ring' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [textContent('tool ring failed with 409: the bell is broken')], isError: true },
    });
  });

  it('dispatches a gated tool, so that the refusal is audited, and shows it bare', async () => {
    verifies('error.mcp.approval', 'error.mcp.approval.is-error', 'gate.mcp.bare');
    const mcp = serve([tool('open_door', { approval: 'required' })], ({ route }) =>
      problemResponse(403, refusalOverMcp(route.name), { code: 'approval_required' }),
    );
    expect(await mcp.call('open_door', { nonsense: true })).toEqual({
      content: [
        textContent('tool "open_door" requires human approval and cannot be invoked directly over MCP'),
      ],
      isError: true,
    });
    expect(mcp.calls).toHaveLength(1);
  });

  it('dispatches a tool that the caller does not see, so that its route refuses', async () => {
    const mcp = serve([tool('ring', { scopes: ['bell:ring'] })], () =>
      problemResponse(403, 'missing scope "bell:ring"'),
    );
    expect(await mcp.call('ring')).toEqual({
      content: [textContent('tool ring failed with 403: missing scope "bell:ring"')],
      isError: true,
    });
    expect(mcp.calls).toHaveLength(1);
  });

  it.each(['rang', 'plain', '', '__proto__', 'toString'])('knows no tool "%s"', async (name) => {
    verifies('mcp.unknown-tool');
    const mcp = serve([tool('ring'), tool('plain', { tool: false })]);
    expect((await mcp.request('tools/call', { name })).error).toEqual({
      code: -32602,
      message: `unknown tool "${name}"`,
    });
    expect(mcp.calls).toEqual([]);
  });

  it('does not echo a whole megabyte of an unknown name', async () => {
    const { error } = await serve([]).request('tools/call', { name: 'x'.repeat(1_000_000) });
    expect(error?.message).toBe(`unknown tool "${'x'.repeat(64)}"`);
  });

  it.each([
    ['without params', undefined],
    ['without a name', {}],
    ['with a name that is no string', { name: 7 }],
    ['with a list of arguments', { name: 'ring', arguments: [1] }],
    ['with null arguments', { name: 'ring', arguments: null }],
    ['with text for arguments', { name: 'ring', arguments: '{}' }],
  ])('is malformed %s', async (_case, params) => {
    verifies('mcp.shapes');
    const mcp = serve([tool('ring')]);
    expect((await mcp.request('tools/call', params)).error?.code).toBe(-32602);
    expect(mcp.calls).toEqual([]);
  });
});
