import { callTool, HTTPError, type Progress, type Values } from '@waymark/contract';
import type { Awaitable, Call, CallInput, RouteResponse } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../../src/index.ts';
import { createOwnerTable } from './owner-table.ts';
import { createPair, type Pair } from './pair.ts';

const desk: Principal = { id: 'desk', rootId: 'desk', authenticated: true, scopes: ['echo'] };
const table = createOwnerTable('here');
const local = createDispatcher(table);

function call({ table }: Pick<Pair, 'table'>, name: string, more: Partial<Call> = {}): Call {
  const route = table.get(name);
  if (!route) throw new Error(`no route ${name}`);
  return { route, input: byArguments({}), principal: desk, via: 'http', requestId: 'r1', ...more };
}

function byArguments(values: Values): CallInput {
  return { by: 'arguments', values };
}

function byRequest(path: string, text: string, headers: Readonly<Record<string, string>> = {}): CallInput {
  const bytes = new TextEncoder().encode(text);
  const body = {
    contentType: 'application/json',
    contentLength: bytes.length,
    async read(limit: number) {
      if (bytes.length > limit) throw new HTTPError(413, `the body is larger than ${limit} bytes`);
      return bytes;
    },
    stream: () => new Blob([bytes]).stream(),
  };
  return { by: 'request', method: 'POST', path, headers, body, params: {}, search: '' };
}

/** An answer with its stream read to the end. */
async function whole({ status, headers, body }: RouteResponse): Promise<unknown> {
  if (body.kind !== 'stream') return { status, headers: { ...headers }, body: { ...body } };
  const { stream, ...rest } = body;
  return { status, headers: { ...headers }, body: { ...rest, text: await new Response(stream).text() } };
}

async function jsonOf(answer: Awaitable<RouteResponse>): Promise<unknown> {
  const { body } = await answer;
  return body.kind === 'json' ? JSON.parse(body.text) : body;
}

describe('a call of an owner route', () => {
  it('is answered by the owner within what is left of its deadline, and others are not', async () => {
    const pair = createPair();
    await pair.own();
    const { worker } = pair;
    expect(await jsonOf(worker.dispatch(call(pair, 'any')))).toBe('worker');
    const deadlineMs = performance.now() + 900;
    expect(await jsonOf(worker.dispatch(call(pair, 'owned', { deadlineMs })))).toEqual(['owner', true]);
  });

  const long = 'x'.repeat(1_000_000);
  it.each<[what: string, name: string, more: Partial<Call>]>([
    ['JSON by arguments', 'echo', { input: byArguments({ text: 'hi' }) }],
    ['JSON by request', 'echo', { input: byRequest('/echo', '{"text":"hi"}', { 'accept-language': 'eo' }) }],
    ['input that is refused', 'echo', { input: byArguments({ text: 7 }) }],
    ['a body that is no JSON', 'echo', { input: byRequest('/echo', '{"text') }],
    ['a missing scope', 'echo', { principal: { ...desk, scopes: [] } }],
    ['an error with code and headers', 'broken', {}],
    ['bytes', 'picture', {}],
    ['a stream', 'long', {}],
    ['a body the engine reads', 'size', { input: byRequest('/size', '12345678') }],
    ['a body over its limit', 'size', { input: byRequest('/size', '123456789') }],
    ['a body that is handed on as it comes', 'relay', { input: byRequest('/relay', long) }],
    ['a body of many pieces', 'echo', { input: byRequest('/echo', `{"text":"${long}"}`) }],
    ['a deadline that is over', 'slow', { deadlineMs: performance.now() }],
  ])('is answered as it is here: %s', async (_, name, more) => {
    const pair = createPair();
    await pair.own();
    const answer = await whole(await pair.worker.dispatch(call(pair, name, more)));
    expect(answer).toEqual(await whole(await local.dispatch(call({ table }, name, more))));
  });

  it('is a tool like any other', async () => {
    const pair = createPair();
    await pair.own();
    const tool = (one: Pick<Pair, 'table'>) => ({
      ...call(one, 'picture'),
      arguments: {},
      via: 'mcp' as const,
    });
    expect(await callTool(pair.worker, tool(pair))).toEqual(await callTool(local, tool({ table })));
  });

  it('tells its progress in order, before its answer', async () => {
    const pair = createPair();
    await pair.own();
    const seen: Progress[] = [];
    const observe = (progress: Progress): void => void seen.push(progress);
    const { status } = await pair.worker.dispatch(call(pair, 'gather', { observe }));
    expect(status).toBe(200);
    expect(seen).toEqual([1, 2, 3].map((id) => ({ event: 'step', data: { at: id }, id: `${id}` })));
  });

  it('tells no more events than whoever observes has room for', async () => {
    const pair = createPair();
    await pair.own();
    let seen = 0;
    let open = (): void => {};
    const room = new Promise<void>((resolve) => {
      open = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      const answer = pair.worker.dispatch(
        call(pair, 'steps', {
          observe: () => void seen++,
          room: () => {
            if (seen === 16) resolve();
            return room;
          },
        }),
      );
      void Promise.resolve(answer).then(() => expect(seen).toBe(100));
    });
    await asked;
    // Another call of the same owner overtakes it.
    await pair.worker.dispatch(call(pair, 'owned'));
    expect(seen).toBe(16);
    open();
    await expect.poll(() => seen).toBe(100);
  });

  it('is stopped by its caller', async () => {
    const pair = createPair();
    await pair.own();
    const controller = new AbortController();
    const response = await pair.worker.dispatch(
      call(pair, 'slow', {
        signal: controller.signal,
        observe: () => controller.abort(new DOMException('the client went away', 'AbortError')),
      }),
    );
    expect(response).toMatchObject({
      status: 499,
      body: { kind: 'problem', detail: 'stopped: AbortError: the client went away' },
    });
  });

  it('does nothing before the rate bucket of its caller has answered', async () => {
    const pair = createPair();
    await pair.own();
    const seen: string[] = [];
    const costly = (answer: () => Promise<void>) =>
      pair.worker.dispatch(
        call(pair, 'costly', {
          charge: async (cost) => {
            await new Promise(setImmediate);
            seen.push(`charged ${cost}`);
            return answer();
          },
          observe: ({ event }) => seen.push(event),
        }),
      );
    expect((await costly(async () => {})).status).toBe(200);
    expect(seen.splice(0)).toEqual(['charged 1', 'worked']);
    const refused = await costly(async () => {
      throw new HTTPError(429, 'too many requests', { headers: { 'retry-after': '7' } });
    });
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
      body: { kind: 'problem', detail: 'too many requests' },
    });
    expect(seen).toEqual(['charged 1']);
  });

  it('lets go of an answer that nobody reads to the end', async () => {
    const pair = createPair();
    await pair.own();
    const { body } = await pair.worker.dispatch(call(pair, 'long'));
    if (body.kind !== 'stream') throw new Error(body.kind);
    const reader = body.stream.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('line 1\n');
    await reader.cancel();
    expect((await pair.worker.dispatch(call(pair, 'owned'))).status).toBe(200);
  });

  it('opens no socket: the door hands over the connection', async () => {
    const pair = createPair();
    await pair.own();
    expect(await pair.worker.upgrade(call(pair, 'socket', { via: 'socket' }))).toMatchObject({
      ok: false,
      response: { status: 503 },
    });
  });
});

describe('without an owner', () => {
  it('calls wait for the next one', async () => {
    const pair = createPair();
    const answer = pair.worker.dispatch(call(pair, 'owned'));
    await pair.own();
    expect((await answer).status).toBe(200);
  });

  it.each<[what: string, options: ConstructorParameters<typeof Object>[0], more: Partial<Call>]>([
    ['not for ever', { waitMs: 1 }, {}],
    ['not beyond their deadline', {}, { deadlineMs: performance.now() }],
  ])('%s', async (_, options, more) => {
    const pair = createPair(options);
    const answer = await pair.worker.dispatch(call(pair, 'owned', more));
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
  });

  it('as many wait as there is room for', async () => {
    const pair = createPair({ maxWaiting: 2 });
    const answers = [1, 2, 3].map(async () => pair.worker.dispatch(call(pair, 'owned')));
    expect((await answers[2])?.status).toBe(503);
    await pair.own();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 503]);
  });
});

describe('an owner that dies', () => {
  it('leaves what changes something undecided, and what does not is asked of the next one', async () => {
    const pair = createPair();
    const kill = await pair.own();
    const late = pair.worker.dispatch(call(pair, 'late'));
    const slow = await pair.worker.dispatch(call(pair, 'slow', { observe: kill }));
    expect(slow).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { code: 'owner_gone' },
    });
    expect((await pair.worker.dispatch(call(pair, 'any'))).status).toBe(200);
    await pair.own('next');
    expect(await jsonOf(late)).toBe('next');
  });

  it('cuts the answer that it has begun', async () => {
    const pair = createPair();
    const kill = await pair.own();
    const { body } = await pair.worker.dispatch(call(pair, 'long'));
    if (body.kind !== 'stream') throw new Error(body.kind);
    const reader = body.stream.getReader();
    await reader.read();
    kill();
    await expect(reader.read().then(() => reader.read())).rejects.toThrow('the owner process ended');
  });
});
