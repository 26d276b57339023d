import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../src/index.ts';
import { chat, message, textOf } from './ask.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

beforeEach(() => {
  simulator.reset();
});

describe('[[error]]', () => {
  it.each([
    [400, 'invalid_request_error', 'invalid_request_error'],
    [401, 'invalid_request_error', 'authentication_error'],
    [403, 'invalid_request_error', 'permission_error'],
    [404, 'invalid_request_error', 'not_found_error'],
    [413, 'invalid_request_error', 'request_too_large'],
    [429, 'requests', 'rate_limit_error'],
    [500, 'server_error', 'api_error'],
    [503, 'server_error', 'api_error'],
    [529, 'server_error', 'overloaded_error'],
  ])('%i has the types that the services give it', async (status, openai, anthropic) => {
    const one = await chat(simulator, `[[error ${status}]]`);
    expect([one.status, one.json.error.type]).toEqual([status, openai]);
    const other = await message(simulator, `[[error ${status}]]`);
    expect([other.status, other.json.error.type]).toEqual([status, anthropic]);
  });

  it('has headers, type, code and message as the script wants them', async () => {
    const text =
      '[[error 429 retry-after=7 retry-after-ms=5 x-should-retry=false type=t code=c message="Too much."]]';
    const one = await chat(simulator, text);
    expect(one.json.error).toEqual({ message: 'Too much.', type: 't', param: null, code: 'c' });
    const names = ['retry-after', 'retry-after-ms', 'x-should-retry'];
    expect(names.map((name) => one.headers.get(name))).toEqual(['7', '5', 'false']);
    expect((await message(simulator, text)).json.error).toEqual({ type: 't', message: 'Too much.' });
    const quota = await chat(simulator, '[[error 429 code=insufficient_quota]]');
    expect(quota.json.error).toMatchObject({ type: 'insufficient_quota', code: 'insufficient_quota' });
  });

  it('happens as often as it says, and all over again after a reply', async () => {
    const text = '[[error 500 times=2]] [[error 429 times=1]] [[say Hello.]]';
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await chat(simulator, text)).status);
    expect(statuses).toEqual([500, 500, 429, 200, 500, 500, 429, 200]);
    expect(simulator.requests.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
  });

  it('counts each request for itself', async () => {
    const text = '[[error 500 times=1]] [[say Hello.]]';
    expect((await chat(simulator, text, { user: 'a' })).status).toBe(500);
    expect((await chat(simulator, text, { user: 'b' })).status).toBe(500);
    expect((await message(simulator, text)).status).toBe(500);
    expect((await chat(simulator, text, { user: 'a' })).status).toBe(200);
  });

  it('always happens unless it says how often', async () => {
    for (let i = 0; i < 4; i++) expect((await chat(simulator, '[[error 500]]')).status).toBe(500);
  });

  it('comes as an event in the middle of a stream', async () => {
    const text = '[[error 529 after=2]] [[say Hello there.]]';
    const one = await message(simulator, text, { stream: true });
    expect([one.status, one.events.length]).toEqual([200, 3]);
    expect(one.events[2]).toEqual({
      name: 'error',
      data: {
        type: 'error',
        error: { type: 'overloaded_error', message: 'Overloaded' },
        request_id: one.headers.get('request-id'),
      },
    });
    const other = await chat(simulator, text, { stream: true });
    expect(other.events[2]?.data.error.type).toBe('server_error');
    expect((await chat(simulator, text)).status).toBe(529);
    expect(simulator.requests.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
  });
});

describe('[[cut]]', () => {
  it.each([false, true])('ends the connection in the middle, streaming: %s', async (stream) => {
    const text = '[[cut after=2]] [[say Hello there.]]';
    await expect(chat(simulator, text, { stream })).rejects.toThrow('terminated');
    await expect(message(simulator, text, { stream })).rejects.toThrow('terminated');
    expect(simulator.requests.map(({ outcome }) => outcome)).toEqual(['cut', 'cut']);
  });

  it('lets through what comes before', async () => {
    const response = await fetch(`${simulator.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model: 'm',
        max_tokens: 99,
        stream: true,
        messages: [{ role: 'user', content: '[[cut after=4]] [[say Hello there.]]' }],
      }),
    });
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
    })();
    await expect(reading).rejects.toThrow('terminated');
    expect(text.match(/^event: .*/gm)).toEqual([
      'event: message_start',
      'event: content_block_start',
      'event: ping',
      'event: content_block_delta',
    ]);
  });

  it('lets the retry through', async () => {
    const text = '[[cut times=1]] [[say Hello.]]';
    await expect(chat(simulator, text)).rejects.toThrow('terminated');
    expect(textOf(await chat(simulator, text))).toBe('Hello.');
  });
});

describe('[[hang]]', () => {
  it.each([
    ['[[hang]]', 0],
    ['[[hang after=3]] [[say Hello.]]', 3],
  ])('%s sends no more', async (text, count) => {
    const abort = new AbortController();
    let seen = '';
    const asking = (async () => {
      const response = await fetch(`${simulator.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer key' },
        body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: text }] }),
        signal: abort.signal,
      });
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) seen += chunk;
    })();
    const settled = asking.catch((error: Error) => error.name);
    const events = () => seen.split('\n\n').length - 1;
    await expect.poll(() => [simulator.requests.length, events()]).toEqual([1, count]);
    // Whoever did not hang has answered this one after the first.
    await chat(simulator, '[[say Hi]]');
    expect([simulator.requests[0]?.outcome, events()]).toEqual(['open', count]);
    abort.abort();
    expect(await settled).toBe('AbortError');
  });
});

describe('[[malformed]]', () => {
  it('breaks the JSON of a body, of an event', async () => {
    expect((await chat(simulator, '[[malformed]]')).json).toMatch(/^\{"id":"chatcmpl-.*[^}]$/s);
    const { events } = await chat(simulator, '[[malformed]] [[say Hello.]]', { stream: true });
    expect(typeof events.at(-1)?.data).toBe('string');
    expect(events.at(-1)?.data).not.toBe('[DONE]');
  });

  it('sends a page, nothing, or JSON of another shape', async () => {
    const page = await message(simulator, '[[malformed html]]');
    expect([page.status, page.headers.get('content-type'), page.text]).toEqual([
      200,
      'text/html',
      expect.stringContaining('<h1>'),
    ]);
    expect((await message(simulator, '[[malformed empty]]')).text).toBe('');
    expect((await message(simulator, '[[malformed shape]]')).json).toEqual({ answer: 42 });
    const streamed = await message(simulator, '[[malformed shape]]', { stream: true });
    expect(streamed.events).toEqual([{ name: '', data: { answer: 42 } }]);
  });
});

describe('[[latency]] and [[pace]]', () => {
  it('wait before the answer, and after each event', async () => {
    const started = performance.now();
    await chat(simulator, '[[latency 60]] [[say Hi]]');
    const answered = performance.now();
    await chat(simulator, '[[pace 20]] [[say Hi]]', { stream: true });
    expect(answered - started).toBeGreaterThanOrEqual(59);
    expect(performance.now() - answered).toBeGreaterThanOrEqual(75);
  });
});

describe('a script that is wrong', () => {
  it('is refused with what is wrong about it', async () => {
    const one = await chat(simulator, '[[error 5]]');
    expect([one.status, one.json.error.message]).toEqual([
      400,
      'the script in the prompt is wrong: an error has a status from 400 to 599: 5',
    ]);
  });
});
