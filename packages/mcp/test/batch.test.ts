import { HTTPError } from '@waymark/contract';
import { jsonResponse, problemResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { type Answer, following, serve, textContent, tool, valuesOf } from './support.ts';

const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
const callOf = (id: number, name: string, values = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: values },
});
const mcp = serve([tool('ring'), tool('gated', { approval: 'required' })], (call) =>
  call.route.name === 'gated'
    ? problemResponse(403, 'the refusal', { code: 'approval_required' })
    : jsonResponse(valuesOf(call)),
);
const sendAll = async (messages: readonly unknown[], context = {}) => {
  const { status, body } = await mcp.send(messages, context);
  return { status, answers: body as unknown as readonly Answer[] };
};

describe('a batch', () => {
  it('is answered in the order of its requests, without its notifications', async () => {
    verifies('mcp.batch');
    const { status, answers } = await sendAll([
      callOf(3, 'ring', { n: 1 }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      ping(1),
      { jsonrpc: '2.0', id: 9, result: {} },
      callOf(2, 'ring', { n: 2 }),
    ]);
    expect(status).toBe(200);
    expect(answers.map(({ id }) => id)).toEqual([3, 1, 2]);
    expect(answers[2]?.result).toEqual({ content: [textContent('{"n":2}')], isError: false });
  });

  it.each([undefined, '2025-03-26', '2025-06-18', '2025-11-25'])(
    'is taken on revision %s',
    async (protocolVersion) => {
      verifies('mcp.arrays');
      const { status, answers } = await sendAll(
        [ping(1), ping(2)],
        protocolVersion ? following(protocolVersion) : {},
      );
      expect([status, answers.length]).toEqual([200, 2]);
    },
  );

  it('of one message is answered by an array of one', async () => {
    expect(await sendAll([ping(1)])).toEqual({
      status: 200,
      answers: [{ jsonrpc: '2.0', id: 1, result: {} }],
    });
  });

  it('of notifications and responses alone is taken with 202 and no body', async () => {
    const { status, answers } = await sendAll([
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
    expect([status, answers]).toEqual([202, undefined]);
  });

  it('without messages is refused as one error', async () => {
    const { status, body } = await mcp.send([]);
    expect(status).toBe(400);
    expect(body).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it('gives each bad member an error of its own and serves the others', async () => {
    const { status, answers } = await sendAll([null, ping(1), 7, [ping(2)], { jsonrpc: '2.0', id: 5 }]);
    expect(status).toBe(200);
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32600],
      [1, undefined],
      [null, -32600],
      [null, -32600],
      [5, -32600],
    ]);
  });

  it('must not hold initialize', async () => {
    const { answers } = await sendAll([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, ping(2)]);
    expect(answers.map(({ error }) => error?.code)).toEqual([-32600, undefined]);
  });

  it.each([49, 50])('may hold %i messages', async (count) => {
    const { status, answers } = await sendAll(Array.from({ length: count }, (_, i) => ping(i)));
    expect([status, answers.length]).toEqual([200, count]);
  });

  it('may not hold 51 messages', async () => {
    verifies('aside.mcp.batch-cap');
    const { status, body } = await mcp.send(Array.from({ length: 51 }, (_, i) => ping(i)));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      id: null,
      error: { code: -32600, message: 'a batch holds at most 50 messages' },
    });
  });

  it('is no way around the gate: each member is refused by the dispatcher', async () => {
    const { answers } = await sendAll([callOf(1, 'gated'), callOf(2, 'gated')]);
    for (const { result } of answers)
      expect(result).toEqual({ content: [textContent('the refusal')], isError: true });
  });

  it('charges each request once, and a lone message nothing', async () => {
    const costs: number[] = [];
    const charge = (cost: number): void => void costs.push(cost);
    await sendAll([ping(1), callOf(2, 'ring'), { jsonrpc: '2.0', method: 'notifications/initialized' }], {
      charge,
    });
    expect(costs).toEqual([1, 1]);
    await mcp.send(ping(1), { charge });
    expect(costs).toEqual([1, 1]);
  });

  it('fails the members that the rate limit refuses, tools in the words of a failing tool', async () => {
    let left = 1;
    const charge = (): void => {
      if (left-- <= 0) throw new HTTPError(429, 'too many requests');
    };
    const before = mcp.calls.length;
    const { status, answers } = await sendAll([callOf(1, 'ring'), callOf(2, 'ring'), ping(3)], { charge });
    expect(status).toBe(200);
    expect(answers[0]?.result?.['isError']).toBe(false);
    expect(answers[1]?.result).toEqual({
      content: [textContent('tool ring failed with 429: too many requests')],
      isError: true,
    });
    expect(answers[2]?.error).toEqual({ code: -32603, message: 'too many requests' });
    expect(mcp.calls.length - before).toBe(1);
  });
});

describe('the answers of a batch', () => {
  const mebi = 1_048_576;
  const noRoom = 'the answer found no room in the batch: ask for it alone';
  const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
  /** A server whose answer to `list(1)` has so many characters. */
  const listing = async (length: number) => {
    const saying = (summary: string) => serve([tool('ring', { summary })]);
    const { body: shortest } = await saying('x').handle(list(1));
    return saying('x'.repeat(1 + length - String(shortest).length));
  };
  const outcomes = (body: unknown) =>
    (body as readonly Answer[]).map(({ result, error }) => error?.message ?? typeof result);

  it.each([
    ['under', mebi / 2 - 1, 10, 'object'],
    ['at', mebi / 2, 2, 'object'],
    ['over', mebi / 2, 10, noRoom],
  ])('of lists are a MiB together: %s it', async (_, length, secondId, second) => {
    verifies('mcp.arrays.bounded');
    // An id of two digits makes its answer one character longer.
    const { body } = await (await listing(length)).send([list(1), list(secondId)]);
    expect(outcomes(body)).toEqual(['object', second]);
  });

  it('stay small, however often a large list is asked for', async () => {
    verifies('mcp.arrays.bounded');
    const server = await listing(mebi / 2);
    const { body } = await server.handle(Array.from({ length: 50 }, (_, i) => list(i)));
    expect(String(body).length).toBeLessThan(mebi + 50 * 200);
    const answers = JSON.parse(String(body)) as readonly Answer[];
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(2);
    expect(answers.at(-1)?.error).toEqual({ code: -32603, message: noRoom });
  });

  it('hold one answer of any size', async () => {
    const server = await listing(3 * mebi);
    expect(outcomes((await server.send([list(1), ping(2)])).body)).toEqual(['object', noRoom]);
  });

  it('of tools have room of their own, and one without says that its tool was called', async () => {
    verifies('mcp.arrays.bounded');
    const server = serve([tool('ring')], () => jsonResponse('x'.repeat(6 * mebi)));
    const { body } = await server.send([callOf(1, 'ring'), callOf(2, 'ring'), callOf(3, 'ring'), list(4)]);
    expect(outcomes(body)).toEqual(['object', 'object', `its tool was called, but ${noRoom}`, 'object']);
    expect(server.calls).toHaveLength(3);
  });
});
