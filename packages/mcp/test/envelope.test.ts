import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { serve, tool } from './support.ts';

const mcp = serve([tool('ring')]);
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('the envelope of a message', () => {
  it.each([
    ['null', null, null],
    ['a number', 7, null],
    ['a string', 'ping', null],
    ['no jsonrpc member', { id: 1, method: 'ping' }, 1],
    ['another version', { ...ping, jsonrpc: '1.0' }, 1],
    ['a version that is a number', { ...ping, jsonrpc: 2.0 }, 1],
    ['no method', { jsonrpc: '2.0', id: 1 }, 1],
    ['a method that is no string', { ...ping, method: 5 }, 1],
    ['a null id', { ...ping, id: null }, null],
    ['a boolean id', { ...ping, id: true }, null],
    ['a fractional id', { ...ping, id: 1.5 }, null],
    ['an id beyond 2^53', { ...ping, id: 2 ** 53 }, null],
    ['an object as id', { ...ping, id: {} }, null],
    ['a list as params', { ...ping, params: [1] }, 1],
    ['a scalar as params', { ...ping, params: 'x' }, 1],
    ['null params', { ...ping, params: null }, 1],
    [
      'a notification with bad params',
      { jsonrpc: '2.0', method: 'notifications/initialized', params: [] },
      null,
    ],
    ['a request that is also a response', { ...ping, result: {} }, 1],
  ])('is refused for %s with 400 and the id, where it can be read', async (_case, message, id) => {
    verifies('mcp.request-object');
    const { status, body } = await mcp.send(message);
    expect(status).toBe(400);
    expect(body).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32600 } });
  });

  it.each([0, -1, 2 ** 53 - 1, '', 'a-7', 'x'.repeat(127), 'x'.repeat(128)])(
    'takes the id %j and echoes it',
    async (id) => {
      const { status, body } = await mcp.send({ ...ping, id });
      expect(status).toBe(200);
      expect(body.id).toBe(id);
    },
  );

  it('refuses an id of 129 characters', async () => {
    const { status, body } = await mcp.send({ ...ping, id: 'x'.repeat(129) });
    expect([status, body.id, body.error?.code]).toEqual([400, null, -32600]);
  });

  it.each([
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['a cancellation', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }],
    ['an unknown notification', { jsonrpc: '2.0', method: 'nonsense' }],
    ['a posted result', { jsonrpc: '2.0', id: 4, result: {} }],
    ['a posted error', { jsonrpc: '2.0', id: 4, error: { code: 1, message: 'no' } }],
  ])('takes %s with 202 and says nothing', async (_case, message) => {
    verifies('mcp.notification');
    expect(await mcp.send(message)).toEqual({ status: 202, body: undefined });
  });

  it('does not call a tool for a message without an id', async () => {
    const silent = serve([tool('ring')]);
    const { status } = await silent.send({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'ring' } });
    expect([status, silent.calls.length]).toEqual([202, 0]);
  });
});
