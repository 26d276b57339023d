import { type Call, jsonResponse, problemResponse } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { McpAnswer, McpContext, McpOptions } from '../src/index.ts';
import { readEvents, serve, standingAlone, textContent, tool } from './support.ts';

/** A tool that works until the test lets it end. */
function working(options: Partial<McpOptions> = {}) {
  let call: Call | undefined;
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const mcp = serve(
    [tool('work')],
    async (given) => {
      call = given;
      await ended;
      return given.signal?.aborted ? problemResponse(503, 'given up') : jsonResponse('done');
    },
    options,
  );
  const modern = (context: Partial<McpContext> = {}, meta: object = {}) => {
    const { message, headers } = standingAlone('tools/call', { name: 'work' }, { meta: { ...meta } });
    return mcp.handle(message, { headers, ...context });
  };
  const old = (context: Partial<McpContext> = {}, meta: object = {}) =>
    mcp.handle(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work', _meta: meta } },
      context,
    );
  return {
    ...{ mcp, end, modern, old },
    get call(): Call {
      if (!call) throw new Error('the tool was not called');
      return call;
    },
  };
}

const progress = (done: number, total?: number) => ({ event: 'progress', data: { done, total } });
const told = (progressToken: unknown, done: number, total?: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: done, ...(total !== undefined && { total }) },
});
const eventsOf = async (answer: McpAnswer) => {
  if (!answer.events) throw new Error('not a stream');
  return (await readEvents(answer.events)).messages;
};

describe.each(['modern', 'old'] as const)('progress of a call (%s)', (era) => {
  it('comes before the response, for a client that gave a token and takes events', async () => {
    verifies('face.result.generator');
    const work = working();
    const pending = work[era]({ streaming: 'allowed' }, { progressToken: 'p-1' });
    for (const done of [0, 50, 100]) work.call.observe?.(progress(done, 100));
    const answer = await pending;
    work.end();
    const messages = await eventsOf(answer);
    expect(answer.status).toBe(200);
    expect(messages.slice(0, 3)).toEqual([0, 50, 100].map((done) => told('p-1', done, 100)));
    expect(messages[3]).toMatchObject({ id: 1, result: { content: [textContent('done')], isError: false } });
    expect(messages).toHaveLength(4);
  });

  it.each([
    ['no token', { streaming: 'allowed' }, {}],
    ['a token that is none', { streaming: 'allowed' }, { progressToken: {} }],
    ['no wish for events', { streaming: 'never' }, { progressToken: 1 }],
    ['nothing said about events', {}, { progressToken: 1 }],
  ] as const)('is not asked for with %s: the answer is JSON', async (_case, context, meta) => {
    const work = working();
    const pending = work[era](context, meta);
    expect(work.call.observe).toBeUndefined();
    work.end();
    const { events, body } = await pending;
    expect(events).toBeUndefined();
    expect(body).toContain('done');
  });

  it('is no stream when a call that could tell something says nothing', async () => {
    const work = working();
    const pending = work[era]({ streaming: 'allowed' }, { progressToken: 1 });
    work.end();
    expect((await pending).body).toContain('done');
  });
});

describe('a call that takes long', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is answered as a stream after 3 seconds, with a sign of life every 15', async () => {
    const work = working();
    let answer: McpAnswer | undefined;
    const pending = work.modern({ streaming: 'allowed' }).then((given) => {
      answer = given;
    });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2);
    await pending;
    const reading = readEvents(answer?.events as ReadableStream<Uint8Array>);
    await vi.advanceTimersByTimeAsync(14_900);
    await vi.advanceTimersByTimeAsync(15_200);
    work.end();
    const { messages, keptAlive } = await reading;
    expect(keptAlive).toBe(2);
    expect(messages).toMatchObject([{ id: 1, result: { isError: false } }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no timer behind when it was quick', async () => {
    const work = working();
    const pending = work.modern({ streaming: 'allowed' });
    work.end();
    expect((await pending).body).toContain('done');
    await vi.advanceTimersByTimeAsync(3_001);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes the times that were asked for', async () => {
    const work = working({ streamAfterMs: 100, keepAliveMs: 1_000 });
    const pending = work.modern({ streaming: 'allowed' });
    await vi.advanceTimersByTimeAsync(101);
    const reading = readEvents((await pending).events as ReadableStream<Uint8Array>);
    await vi.advanceTimersByTimeAsync(2_500);
    work.end();
    expect((await reading).keptAlive).toBe(2);
  });

  it('may be a batch, whose answers end the stream together', async () => {
    const work = working();
    const member = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'work' } });
    const pending = work.mcp.handle([member(1), member(2)], { streaming: 'allowed' });
    await vi.advanceTimersByTimeAsync(3_001);
    const answer = await pending;
    work.end();
    expect(await eventsOf(answer)).toMatchObject([[{ id: 1 }, { id: 2 }]]);
  });

  it('is answered as JSON to a client that takes nothing else', async () => {
    const work = working();
    const pending = work.modern({ streaming: 'never' });
    await vi.advanceTimersByTimeAsync(60_000);
    work.end();
    expect((await pending).body).toContain('done');
  });
});

describe('a client that takes events only', () => {
  it('gets every response as an event', async () => {
    const { message, headers } = standingAlone('tools/list');
    const answer = await serve([tool('ring')]).handle(message, { headers, streaming: 'only' });
    expect(await eventsOf(answer)).toMatchObject([{ id: 1, result: { tools: [{ name: 'ring' }] } }]);
  });
});

describe('a client that goes away', () => {
  it('cancels its call on 2026-07-28', async () => {
    const client = new AbortController();
    const work = working();
    const pending = work.modern({ signal: client.signal });
    const { signal } = work.call;
    expect(signal?.aborted).toBe(false);
    client.abort('gone');
    expect([signal?.aborted, signal?.reason]).toEqual([true, 'gone']);
    work.end();
    await pending;
  });

  it('cancels it also once the answer is a stream, whose reader then leaves', async () => {
    for (const looksEarly of [true, false]) {
      const work = working();
      const pending = work.modern({ streaming: 'allowed' }, { progressToken: 1 });
      if (looksEarly) expect(work.call.signal?.aborted).toBe(false);
      work.call.observe?.(progress(1));
      await (await pending).events?.cancel('left');
      expect([work.call.signal?.aborted, work.call.signal?.reason]).toEqual([true, 'left']);
      work.end();
    }
  });

  it('had gone before the call began', async () => {
    const work = working();
    const pending = work.modern({ signal: AbortSignal.abort('early') });
    expect(work.call.signal?.reason).toBe('early');
    work.end();
    await pending;
  });

  it('cancels nothing on older revisions', async () => {
    const client = new AbortController();
    const work = working();
    const pending = work.old({ signal: client.signal, streaming: 'allowed' }, { progressToken: 1 });
    expect(work.call.signal).toBeUndefined();
    client.abort();
    work.call.observe?.(progress(1));
    await (await pending).events?.cancel();
    expect(work.call.signal).toBeUndefined();
    work.call.observe?.(progress(2));
    work.end();
  });

  it('leaves no listener behind on the signal of its carrier', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const work = working();
    const pending = work.modern({ signal });
    expect(work.call.signal?.aborted).toBe(false);
    work.end();
    await pending;
    expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([1, 1]);
    expect(removed.mock.calls[0]?.[1]).toBe(added.mock.calls[0]?.[1]);
  });
});
