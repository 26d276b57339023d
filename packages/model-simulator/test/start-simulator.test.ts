import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../src/index.ts';
import { ask, chat, message, textOf } from './ask.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

beforeEach(() => {
  simulator.reset();
});

describe('startSimulator', () => {
  it('listens on the loopback address, on a port that is free', () => {
    expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  });

  it('fails on a port that is taken', async () => {
    const port = Number(new URL(simulator.url).port);
    await expect(startSimulator({ port })).rejects.toThrow('EADDRINUSE');
  });

  it('stops listening and cuts what hangs when it is closed', async () => {
    const other = await startSimulator();
    const hanging = chat(other, '[[hang]]').catch((error: Error) => error.name);
    await expect.poll(() => other.requests).toHaveLength(1);
    await other.close();
    expect(await hanging).toBe('TypeError');
    await expect(chat(other, 'hi')).rejects.toThrow('fetch failed');
  });

  it('keeps two simulators apart', async () => {
    const other = await startSimulator();
    await chat(other, 'hi');
    expect([simulator.requests.length, other.requests.length]).toEqual([0, 1]);
    await other.close();
  });
});

describe('the log', () => {
  it('has what came and how it was answered, without the key', async () => {
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: '[[say Hello.]]' }] };
    const asked = await message(simulator, '', body, { 'x-test': '1', cookie: 'secret=1' });
    expect(simulator.requests).toEqual([
      {
        id: asked.headers.get('request-id'),
        format: 'anthropic',
        method: 'POST',
        path: '/v1/messages',
        headers: expect.objectContaining({ 'x-test': '1', 'anthropic-version': '2023-06-01' }),
        auth: 'x-api-key',
        body,
        attempt: 1,
        outcome: 'replied',
        status: 200,
        usage: {
          inputTokens: 14,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          cacheWrite1hTokens: 0,
          outputTokens: 2,
          thinkingTokens: 0,
        },
      },
    ]);
    expect(Object.keys(simulator.requests[0]?.headers ?? {})).not.toContain('x-api-key');
    expect(JSON.stringify(simulator.requests)).not.toContain('secret');
  });

  it('tells in which header the key came', async () => {
    const both = { authorization: 'Bearer key', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };
    for (const header of [both, { authorization: 'Bearer key' }, { 'x-api-key': 'key' }, {}]) {
      await ask(`${simulator.url}/v1/messages`, {}, { ...header });
    }
    expect(simulator.requests.map(({ auth }) => auth)).toEqual(['both', 'bearer', 'x-api-key', 'none']);
  });

  it('has requests that nothing serves, too', async () => {
    expect((await ask(`${simulator.url}/v1/embeddings`, {}, {})).json).toMatchObject({
      error: { type: 'invalid_request_error' },
    });
    expect((await ask(`${simulator.url}/v2`, {}, { 'anthropic-version': '1' })).json).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    });
    const got = await fetch(`${simulator.url}/v1/messages`);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    expect(simulator.requests.map(({ format, status }) => [format, status])).toEqual([
      [undefined, 404],
      [undefined, 404],
      ['anthropic', 405],
    ]);
  });

  it('keeps as many requests as it was told, the newest', async () => {
    const small = await startSimulator({ maxRequests: 2 });
    const told = () => small.requests.map(({ body }) => (body as { user: string }).user);
    await chat(small, 'hi', { user: '1' });
    await chat(small, 'hi', { user: '2' });
    expect(told()).toEqual(['1', '2']);
    await chat(small, 'hi', { user: '3' });
    expect(told()).toEqual(['2', '3']);
    await small.close();
  });

  it('says when the client went away', async () => {
    const abort = new AbortController();
    const asking = fetch(`${simulator.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: '[[hang]]' }] }),
      signal: abort.signal,
    }).catch((error: Error) => error.name);
    await expect.poll(() => simulator.requests).toMatchObject([{ outcome: 'open', attempt: 1 }]);
    abort.abort();
    expect(await asking).toBe('AbortError');
    await expect.poll(() => simulator.requests).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('is empty after a reset, and ids begin again', async () => {
    const first = (await chat(simulator, 'hi')).headers.get('x-request-id');
    await chat(simulator, 'hi');
    simulator.reset();
    expect(simulator.requests).toEqual([]);
    expect((await chat(simulator, 'hi')).headers.get('x-request-id')).toBe(first);
  });

  it('is not all that a reset forgets: attempts and cached prefixes go, too', async () => {
    const long = {
      messages: [{ role: 'user', content: '[[error 500 times=1]] [[size 5]] '.padEnd(5000, 'x') }],
    };
    const outcomes = async () => {
      const failed = (await chat(simulator, '', long)).status;
      const { usage } = (await chat(simulator, '', long)).json;
      return [failed, usage.prompt_tokens_details.cached_tokens];
    };
    const first = await outcomes();
    expect(first).toEqual([500, 0]);
    await chat(simulator, '', long);
    simulator.reset();
    expect(await outcomes()).toEqual(first);
  });
});

describe('keys', () => {
  it('may be any by default, but must be there', async () => {
    expect((await chat(simulator, 'hi', {}, { authorization: 'Bearer whatever' })).status).toBe(200);
    const none = await ask(`${simulator.url}/v1/chat/completions`, {}, {});
    expect([none.status, none.json.error]).toEqual([
      401,
      {
        message: expect.stringContaining("You didn't provide an API key"),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    ]);
    const missing = await ask(`${simulator.url}/v1/messages`, {}, {});
    expect([missing.status, missing.json]).toEqual([
      401,
      {
        type: 'error',
        error: { type: 'authentication_error', message: 'x-api-key header is required' },
        request_id: missing.headers.get('request-id'),
      },
    ]);
  });

  it('are those that were given, then', async () => {
    const strict = await startSimulator({ apiKeys: ['right'] });
    expect((await chat(strict, 'hi', {}, { authorization: 'Bearer right' })).status).toBe(200);
    const wrong = await chat(strict, 'hi');
    expect([wrong.status, wrong.json.error.code]).toEqual([401, 'invalid_api_key']);
    expect((await message(strict, 'hi', {}, { 'x-api-key': 'right' })).status).toBe(200);
    expect((await message(strict, 'hi')).json.error.message).toBe('invalid x-api-key');
    await strict.close();
  });

  it('need not be there for an anonymous simulator', async () => {
    const open = await startSimulator({ anonymous: true });
    const body = { model: 'm', messages: [{ role: 'user', content: '[[say Hi]]' }] };
    expect(textOf(await ask(`${open.url}/v1/chat/completions`, body, {}))).toBe('Hi');
    await open.close();
  });
});

describe('options', () => {
  it('knows any model by default, and those that were given, then', async () => {
    expect((await chat(simulator, 'hi', { model: 'anything' })).json.model).toBe('anything');
    const few = await startSimulator({ models: ['one'] });
    expect((await chat(few, 'hi', { model: 'one' })).status).toBe(200);
    const other = await chat(few, 'hi', { model: 'two' });
    expect([other.status, other.json.error.code]).toEqual([404, 'model_not_found']);
    const another = await message(few, 'hi', { model: 'two' });
    expect([another.status, another.json.error]).toEqual([
      404,
      { type: 'not_found_error', message: 'model: two' },
    ]);
    await few.close();
  });

  it('takes a body of maxBodyBytes and refuses a larger one with 413', async () => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(200) }] });
    const small = await startSimulator({ maxBodyBytes: body.length });
    const send = (text: string, path: string) =>
      ask(small.url + path, text, { authorization: 'Bearer key', 'anthropic-version': '2023-06-01' });
    expect((await send(body.slice(1), '/v1/chat/completions')).status).toBe(400);
    expect((await send(body, '/v1/chat/completions')).status).toBe(200);
    expect((await send(`${body} `, '/v1/chat/completions')).status).toBe(413);
    expect((await send(`${body} `, '/v1/messages')).json.error.type).toBe('request_too_large');
    await small.close();
  });

  it('cuts off who sends more than four times that', async () => {
    const small = await startSimulator({ maxBodyBytes: 10 });
    const socket = connect(Number(new URL(small.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.write(`POST /v1/messages HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(41)}`);
    await closed;
    await small.close();
  });

  it('refuses prompts over the context window', async () => {
    const narrow = await startSimulator({ contextWindow: 20 });
    expect((await chat(narrow, 'x'.repeat(52))).status).toBe(200);
    const long = await chat(narrow, 'x'.repeat(53));
    expect([long.status, long.json.error.code]).toEqual([400, 'context_length_exceeded']);
    expect((await message(narrow, 'x'.repeat(100))).json.error).toEqual({
      type: 'invalid_request_error',
      message: 'prompt is too long: 35 tokens > 20 maximum',
    });
    await narrow.close();
  });

  it('has quirks in every answer', async () => {
    const odd = await startSimulator({ quirks: ['no_usage'] });
    expect((await chat(odd, '[[quirk empty_content]] hi')).json.usage).toBeUndefined();
    await odd.close();
  });

  it('lets a program decide over a request, in the language of prompts', async () => {
    const scripted = await startSimulator({
      script: ({ turns, model }, attempt) => {
        if (model === 'own') return undefined;
        if (model === 'slow') return '[[usage input=7]]';
        return attempt === 1 ? '[[error 503]]' : `You sent ${turns.length}.`;
      },
    });
    expect((await chat(scripted, '[[say Hi]]')).status).toBe(503);
    expect(textOf(await chat(scripted, '[[say Hi]]'))).toBe('You sent 1.');
    expect(textOf(await chat(scripted, '[[say Hi]]', { model: 'own' }))).toBe('Hi');
    const both = await chat(scripted, '[[say Hi]]', { model: 'slow' });
    expect([textOf(both), both.json.usage.prompt_tokens]).toEqual(['Hi', 7]);
    await scripted.close();
  });

  it('answers 500 with what such a program throws', async () => {
    const broken = await startSimulator({
      script: () => {
        throw new Error('my mistake');
      },
    });
    const asked = await message(broken, 'hi');
    expect([asked.status, asked.json.error]).toEqual([
      500,
      { type: 'api_error', message: 'Error: my mistake' },
    ]);
    await broken.close();
  });
});
