import { getEventListeners } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@waymark/contract/engine';
import { ModelError, type ModelReply } from '@waymark/contract/models';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createModels, models, type Post, provider, TransportError } from '../src/index.ts';
import { formats, openDesk, png, textOf, user } from './desk.ts';

/** The error of a question. */
async function errorOf(reply: Promise<ModelReply>): Promise<ModelError> {
  const error = await reply.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a provider that is down', () => {
  it('is asked three times, a little later each time, and named', async () => {
    const desk = await openDesk({
      declarations: [provider('gone', `http://127.0.0.1:${await closedPort()}/v1`)],
    });
    const error = await errorOf(desk.ask({ model: 'gone/m', text: 'hi' }));
    expect(error).toMatchObject({
      status: 502,
      reason: 'unavailable',
      provider: 'gone',
      model: 'm',
      spend: [],
    });
    expect(error.message).toBe('the connection to provider "gone" failed, asked 3 times');
    expect(error.members.code).toBe('unavailable');
    expect(desk.waits).toEqual([500, 1000]);
  });

  it.each([
    ['[[error 401]]', ['a model gave no answer']],
    ['[[error 503]]', ['a model is asked again', 'a model is asked again', 'a model gave no answer']],
    ['hello', []],
  ])('is told of in the log when it has no answer: to %s %j', async (text, lines) => {
    const desk = await openDesk();
    await desk.ask({ text }).catch(() => {});
    expect(desk.logs).toEqual(lines);
  });

  it('is no matter for the log when its asker has gone', async () => {
    const desk = await openDesk();
    const asking = desk.ask({ text: 'hello' }, { signal: AbortSignal.abort(new Error('gone')) });
    expect(await errorOf(asking)).toMatchObject({ reason: 'aborted' });
    expect(desk.logs).toEqual([]);
  });

  it('is asked as often as the option says', async () => {
    const desk = await openDesk({ retries: 0 });
    await errorOf(desk.ask({ text: '[[error 503]]' }));
    expect(desk.simulator.requests).toHaveLength(1);
  });
});

describe.each(formats)('%s, a provider that refuses', (format) => {
  const model = `${format}/m`;

  it.each([
    [
      '[[error 401]]',
      'key_refused',
      `provider "${format}" refused the key in MODEL_KEY or does not let it use the model "m" (401)`,
    ],
    ['[[error 404]]', 'unknown_model', `provider "${format}" does not know the model "m" (404)`],
    ['[[error 400]]', 'rejected', `provider "${format}" refused the request for the model "m" (400)`],
    [
      '[[error 429 code=insufficient_quota type=billing_error]]',
      'quota',
      `the quota at provider "${format}" is used up (429)`,
    ],
    [
      '[[window 1]]',
      'context_window',
      `the conversation is too long for the model "m" of provider "${format}" (400)`,
    ],
    ['[[error 500 x-should-retry=false]]', 'unavailable', `provider "${format}" is not available (500)`],
  ])('%s is not asked again: %s', async (script, reason, message) => {
    const desk = await openDesk();
    const error = await errorOf(desk.ask({ model, text: script }));
    expect([error.reason, error.message, error.status]).toEqual([reason, message, 502]);
    expect(desk.simulator.requests).toHaveLength(1);
    expect(error.requestId).toBe(desk.simulator.requests[0]?.id);
    expect(error.spend).toEqual([]);
  });

  it.each([408, 409, 425, 429, 500, 503, 529])('%d is asked again', async (status) => {
    const desk = await openDesk();
    const reply = await desk.ask({ model, text: `[[error ${status} times=2]] [[say here]]` });
    expect(textOf(reply)).toBe('here');
    expect(reply.spend).toHaveLength(1);
    expect(desk.waits).toEqual([500, 1000]);
  });

  it('is asked again where it says so, and three times at most', async () => {
    const desk = await openDesk();
    const error = await errorOf(desk.ask({ model, text: '[[error 418 x-should-retry=true]]' }));
    expect(error.message).toContain('asked 3 times');
    expect(desk.simulator.requests).toHaveLength(3);
  });

  it.each([
    'max_tokens is too large: 1000 is more than 100',
    'temperature: range: 0..1',
    'Invalid schema for response_format',
  ])('%s: is not asked without what is only wrong', async (words) => {
    const desk = await openDesk();
    const text = `[[error 400 message=${JSON.stringify(words)}]]`;
    await errorOf(desk.ask({ model, temperature: 0.5, schema: { type: 'object' }, text }));
    expect(desk.simulator.requests).toHaveLength(1);
  });

  it('with a quota that is used up is not asked again, whatever it says', async () => {
    const desk = await openDesk();
    const text = '[[error 429 code=insufficient_quota type=billing_error x-should-retry=true]]';
    expect((await errorOf(desk.ask({ model, text }))).reason).toBe('quota');
    expect(desk.simulator.requests).toHaveLength(1);
  });

  it('says nothing of its own to callers, and no key to anybody', async () => {
    const desk = await openDesk();
    const error = await errorOf(
      desk.ask({ model, text: '[[error 400 message="no hush-of-the-desk, nor sk-other1234"]]' }),
    );
    expect(error.message).not.toMatch(/sk-|hush/);
    expect((error.cause as Error).message).toBe('no ***, nor ***');
    expect(JSON.stringify(error) + desk.logs.join()).not.toContain('hush');
  });

  it('is said to have been shown images', async () => {
    const desk = await openDesk();
    const error = await errorOf(desk.ask({ model, messages: [user('[[error 400]]', png)] }));
    expect(error.message).toContain('the request holds images, which not every model takes');
  });
});

describe('what a provider says of the time to wait', () => {
  it.each([
    ['retry-after=7', 7000],
    ['retry-after-ms=20 retry-after=7', 20],
    ['retry-after=60', 60_000],
    ['retry-after=61', 60_000],
    ['retry-after=0', 0],
    ['retry-after="Thu, 01 Jan 2026 00:00:09 GMT"', 9000],
    ['retry-after="Thu, 01 Jan 2025 00:00:00 GMT"', 0],
    ['retry-after=soon', 500],
    ['retry-after=-5', 500],
    ['retry-after=1e9', 500],
    ['retry-after="May 7"', 500],
    ['retry-after=999999999999', 60_000],
  ])('%s', async (header, waitMs) => {
    const desk = await openDesk({ now: () => Date.parse('2026-01-01T00:00:00Z') });
    await desk.ask({ text: `[[error 429 times=1 ${header}]] [[say ok]]` });
    expect(desk.waits).toEqual([waitMs]);
  });

  it.each([
    ['[[error 429 retry-after=599]]', 599_000],
    ['[[error 429 retry-after=600]]', 600_000],
    ['[[error 503 retry-after=601]]', 600_000],
    ['[[error 503]]', undefined],
  ])('is told to whoever can wait longer: %s', async (text, retryAfterMs) => {
    const desk = await openDesk({ retries: 0 });
    expect((await errorOf(desk.ask({ text }))).retryAfterMs).toBe(retryAfterMs);
  });

  it('is not waited for beyond the deadline', async () => {
    const now = performance.now();
    const desk = await openDesk({ monotonic: () => now });
    const text = '[[error 429 retry-after=30]]';
    await errorOf(desk.ask({ text }, { deadlineMs: now + 30_000 }));
    expect(desk.simulator.requests).toHaveLength(1);
    await errorOf(desk.ask({ text }, { deadlineMs: now + 30_001 }));
    expect(desk.waits).toEqual([30_000, 30_000]);
  });
});

describe.each(formats)('%s, a provider that hangs', (format) => {
  it('is not asked after the deadline', async () => {
    const desk = await openDesk();
    const asked = desk.ask({ model: `${format}/m`, text: 'hi' }, { deadlineMs: performance.now() });
    expect((await errorOf(asked)).reason).toBe('timeout');
    expect(desk.simulator.requests).toHaveLength(0);
  });

  it.each([1000, 16000])('times out before its first byte, for %d tokens', async (maxTokens) => {
    const desk = await openDesk({ timeoutMs: 60, retries: 1 });
    const error = await errorOf(desk.ask({ model: `${format}/m`, maxTokens, text: '[[hang]]' }));
    expect(error).toMatchObject({ status: 504, reason: 'timeout', spend: [] });
    expect(error.message).toBe(`provider "${format}" took too long to answer, asked 2 times`);
    await expect
      .poll(() => desk.simulator.requests.map(({ outcome }) => outcome))
      .toEqual(['aborted', 'aborted']);
  });

  it('times out between two pieces of a stream, and what began is counted', async () => {
    const desk = await openDesk({ idleTimeoutMs: 60, retries: 0 });
    const text = '[[hang after=4]] [[size 4000]]';
    const error = await errorOf(desk.ask({ model: `${format}/m`, maxTokens: 16000, text }));
    expect(error.reason).toBe('timeout');
    expect(error.spend).toMatchObject([{ estimated: true }]);
    await expect.poll(() => desk.simulator.requests[0]?.outcome).toBe('aborted');
  });

  it('is given up at the deadline', async () => {
    const desk = await openDesk();
    const error = await errorOf(
      desk.ask({ model: `${format}/m`, text: '[[hang]]' }, { deadlineMs: performance.now() + 60 }),
    );
    expect(error).toMatchObject({ status: 504, reason: 'timeout' });
    expect(desk.simulator.requests).toHaveLength(1);
  });

  it('has a deadline that leaves nothing behind when it is kept', async () => {
    const desk = await openDesk();
    const { signal } = new AbortController();
    await desk.ask({ model: `${format}/m`, text: 'hi' }, { signal, deadlineMs: performance.now() + 60_000 });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is given up when its asker does, and its connection freed', async () => {
    verifies('http.timeout.providers');
    const desk = await openDesk();
    const controller = new AbortController();
    const asked = errorOf(
      desk.ask({ model: `${format}/m`, text: '[[hang]]' }, { signal: controller.signal }),
    );
    await expect.poll(() => desk.simulator.requests.length).toBe(1);
    controller.abort(new Error('the caller left'));
    expect(await asked).toMatchObject({
      reason: 'aborted',
      cause: { message: 'the caller left' },
      spend: [],
    });
    await expect.poll(() => desk.simulator.requests[0]?.outcome).toBe('aborted');
    expect(desk.waits).toEqual([]);
  });

  it('is not waited for by an asker who gives up between two attempts', async () => {
    const controller = new AbortController();
    const log: Log = () => controller.abort(new Error('the caller left'));
    const desk = await openDesk({ log, wait: (ms, signal) => sleep(ms, undefined, { signal }) });
    const text = '[[error 503 retry-after=60]]';
    const asked = desk.ask({ model: `${format}/m`, text }, { signal: controller.signal });
    expect(await errorOf(asked)).toMatchObject({ reason: 'aborted', cause: { message: 'the caller left' } });
    expect(desk.simulator.requests).toHaveLength(1);
  });

  it('is not asked by somebody who has left', async () => {
    const desk = await openDesk();
    const error = await errorOf(
      desk.ask({ model: `${format}/m`, text: 'hi' }, { signal: AbortSignal.abort() }),
    );
    expect(error.reason).toBe('aborted');
    expect(desk.simulator.requests).toHaveLength(0);
  });
});

describe.each(formats)('%s, a provider that breaks off', (format) => {
  const model = `${format}/m`;

  it.each([1000, 16000])('is asked again, for %d tokens; both answers are counted', async (maxTokens) => {
    const desk = await openDesk();
    const reply = await desk.ask({ model, maxTokens, text: '[[cut times=1 after=2]] [[say all of it]]' });
    expect(textOf(reply)).toBe('all of it');
    expect(reply.spend.map(({ estimated }) => estimated)).toEqual([true, false]);
    expect(reply.spend[1]?.outputTokens).toBe(desk.simulator.requests[1]?.usage?.outputTokens);
  });

  it.each(['json', 'html', 'empty', 'shape'])(
    'with something that is no reply (%s) has failed',
    async (form) => {
      for (const maxTokens of [1000, 16000]) {
        const desk = await openDesk();
        const error = await errorOf(
          desk.ask({ model, maxTokens, text: `[[malformed ${form}]] [[size 400]]` }),
        );
        expect(error.reason).toBe('malformed_reply');
        expect(error.message).toBe(`provider "${format}" answered with something that is no reply`);
        expect(desk.simulator.requests).toHaveLength(1);
      }
    },
  );

  it('with an error in its stream is asked again', async () => {
    const desk = await openDesk();
    const text = '[[error 529 type=overloaded_error after=3 times=1]] [[say here]]';
    expect(textOf(await desk.ask({ model, maxTokens: 16000, text }))).toBe('here');
    expect(desk.waits).toEqual([500]);
  });

  it('with an error in its stream that is final is not', async () => {
    const desk = await openDesk();
    const text = '[[error 400 type=invalid_request_error after=2]] [[say here]]';
    expect((await errorOf(desk.ask({ model, maxTokens: 16000, text }))).reason).toBe('rejected');
    expect(desk.waits).toEqual([]);
  });
});

describe('the size of an answer', () => {
  /** Answers with a completion that has exactly so many bytes. */
  async function answerWith(bytes: number, options: { readonly maxReplyBytes?: number } = {}) {
    const text = JSON.stringify({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] });
    const server = createHttpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(text.padEnd(bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { client, close } = createModels([provider('big', `http://127.0.0.1:${port}/v1`)], options);
    onTestFinished(async () => {
      close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const signal = new AbortController().signal;
    return client.complete({ model: 'big/m', messages: [user('hi')], maxTokens: 9 }, { signal });
  }

  it.each([999, 1000])('of %d bytes is fine with a limit of 1000', async (bytes) => {
    expect(textOf(await answerWith(bytes, { maxReplyBytes: 1000 }))).toBe('ok');
  });

  it('over the limit ends it, and it is not asked for again', async () => {
    const error = await errorOf(answerWith(1001, { maxReplyBytes: 1000 }));
    expect([error.reason, error.message]).toEqual([
      'malformed_reply',
      'provider "big" answered with more than 1000 bytes',
    ]);
    expect(error.spend).toMatchObject([{ estimated: true }]);
  });

  it('that is announced to be over the limit is not waited for', async () => {
    const server = createHttpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1001 });
      response.flushHeaders();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const desk = await openDesk({
      maxReplyBytes: 1000,
      declarations: [provider('big', `http://127.0.0.1:${port}/v1`)],
    });
    expect((await errorOf(desk.ask({ model: 'big/m', text: 'hi' }))).reason).toBe('malformed_reply');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is 32 MB at most by default', async () => {
    expect(textOf(await answerWith(32 * 1_048_576))).toBe('ok');
    const error = await errorOf(answerWith(32 * 1_048_576 + 1));
    expect(error.message).toContain('more than 33554432 bytes');
  });

  it.each(formats)('%s: holds for streams, too', async (format) => {
    const desk = await openDesk({ maxReplyBytes: 100_000 });
    const request = { model: `${format}/m`, maxTokens: 100_000, text: '[[size 200000]]' };
    expect((await errorOf(desk.ask(request))).reason).toBe('malformed_reply');
    expect(desk.simulator.requests).toHaveLength(1);
  });
});

describe('the times of a request', () => {
  it('are 300 seconds to the first byte and 120 between two pieces, unless set', async () => {
    const times: unknown[] = [];
    const post: Post = async (_url, _headers, _body, { timeoutMs, idleTimeoutMs }) => {
      times.push([timeoutMs, idleTimeoutMs]);
      throw new TransportError('refused', 'no');
    };
    for (const options of [{}, { timeoutMs: 1, idleTimeoutMs: 2 }]) {
      const desk = await openDesk({ post, ...options });
      await errorOf(desk.ask({ text: 'hi' }));
    }
    expect(times).toEqual([
      [300_000, 120_000],
      [1, 2],
    ]);
  });
});

describe('an error with the status of a success', () => {
  it.each([
    [{ error: { message: 'busy', code: 529 } }, 'unavailable', 3],
    [{ error: { message: 'bad', type: 'invalid_request_error' } }, 'rejected', 1],
    [{ error: { message: 'no credit', code: 'insufficient_quota' } }, 'quota', 1],
  ])('%j is %s', async (body, reason, attempts) => {
    let asked = 0;
    const post: Post = async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      read: async (onChunk) => {
        asked++;
        onChunk(Buffer.from(JSON.stringify(body)));
      },
      discard() {},
    });
    const desk = await openDesk({ post });
    const error = await errorOf(desk.ask({ model: 'openai/m', text: 'hi' }));
    expect([error.reason, asked, error.spend]).toEqual([reason, attempts, []]);
  });
});

describe('a stream that is whole', () => {
  it('counts although its connection breaks off', async () => {
    const post: Post = async () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      read: async (onChunk) => {
        onChunk(Buffer.from('data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\n'));
        throw new TransportError('connection', 'reset');
      },
      discard() {},
    });
    const desk = await openDesk({ post });
    expect(textOf(await desk.ask({ model: 'openai/m', maxTokens: 16000, text: 'hi' }))).toBe('hi');
    expect(desk.waits).toEqual([]);
  });
});

describe('a redirect', () => {
  it('is not followed, and says what to correct', async () => {
    const post: Post = async () => ({
      status: 308,
      headers: { location: '/v2' },
      read: async () => {},
      discard() {},
    });
    const desk = await openDesk({ post });
    expect((await errorOf(desk.ask({ text: 'hi' }))).message).toBe(
      'provider "anthropic" answered with a redirect, which is not followed: correct its base URL (308)',
    );
    // It is a fault of this provider alone: the next one of a list is asked.
    expect((await errorOf(desk.ask({ text: 'hi' }))).reason).toBe('unavailable');
  });
});

describe('a key with a character that no header can carry', () => {
  it('fails the call, and is not shown', async () => {
    const desk = await openDesk({ env: () => 'sk-line\nbreak' });
    const error = await errorOf(desk.ask({ text: 'hi' }));
    expect([error.reason, error.message]).toEqual([
      'missing_key',
      'the key of provider "anthropic" in MODEL_KEY holds a character that no header can carry',
    ]);
  });
});

describe('a list of models', () => {
  it('is gone through until one answers, each with its own retries', async () => {
    verifies('model.alias.list');
    const desk = await openDesk({
      declarations: [models({ safe: ['anthropic/m', 'openai/m'] })],
      simulator: { script: ({ format }) => (format === 'anthropic' ? '[[error 503]]' : 'here') },
    });
    const reply = await desk.ask({ model: 'safe', text: 'hi' });
    expect(textOf(reply)).toBe('here');
    expect(desk.simulator.requests.map(({ format }) => format)).toEqual([
      'anthropic',
      'anthropic',
      'anthropic',
      'openai',
    ]);
    expect(reply.spend).toMatchObject([{ provider: 'openai' }]);
  });

  it('fails with what each of them said', async () => {
    const desk = await openDesk({
      declarations: [models({ safe: ['anthropic/m', 'openai/m'] })],
      retries: 0,
    });
    const error = await errorOf(desk.ask({ model: 'safe', text: '[[error 503]]' }));
    expect(error.message).toBe(
      'provider "anthropic" is not available (503); then provider "openai" is not available (503)',
    );
    expect(error.provider).toBe('openai');
  });

  it.each([
    [{ anthropic: '[[error 503]]', openai: '[[error 401]]' }, ['unavailable', 'anthropic']],
    [{ anthropic: '[[error 401]]', openai: '[[error 503]]' }, ['unavailable', 'openai']],
    [{ anthropic: '[[error 401]]', openai: '[[error 403]]' }, ['key_refused', 'openai']],
    // It would be the same later.
    [{ anthropic: '[[error 503]]', openai: '[[error 400]]' }, ['rejected', 'openai']],
  ])(
    'is for the reason that passes by itself, if one of them has such: %j',
    async (scripts, [reason, provider]) => {
      const desk = await openDesk({
        declarations: [models({ safe: ['anthropic/m', 'openai/m'] })],
        retries: 0,
        simulator: { script: ({ format }) => scripts[format] },
      });
      const error = await errorOf(desk.ask({ model: 'safe', text: 'hi' }));
      expect([error.reason, error.provider]).toEqual([reason, provider]);
    },
  );

  it.each(['[[error 400]]', '[[window 1]]'])(
    'ends at %s, which would be the same everywhere',
    async (text) => {
      const desk = await openDesk({ declarations: [models({ safe: ['anthropic/m', 'openai/m'] })] });
      await errorOf(desk.ask({ model: 'safe', text }));
      expect(desk.simulator.requests).toHaveLength(1);
    },
  );
});

describe('what was told already', () => {
  const text = '[[cut times=1 after=5]] [[size 4000]]';

  it('is not told twice: without onRestart nothing is asked again', async () => {
    const desk = await openDesk();
    const told: string[] = [];
    await errorOf(desk.ask({ text }, { onDelta: (piece) => told.push(piece) }));
    expect(told.length).toBeGreaterThan(0);
    expect(desk.simulator.requests).toHaveLength(1);
  });

  it('is taken back with onRestart', async () => {
    const desk = await openDesk();
    let told = '';
    let restarts = 0;
    const onRestart = () => {
      told = '';
      restarts++;
    };
    const reply = await desk.ask({ text }, { onDelta: (piece) => (told += piece), onRestart });
    expect([restarts, told]).toEqual([1, textOf(reply)]);
  });

  it('is taken back once, however often nothing more comes after it', async () => {
    const desk = await openDesk();
    let restarts = 0;
    const onRestart = () => {
      restarts++;
    };
    const failing = '[[cut times=1 after=5]] [[error 503 times=1]] [[size 4000]]';
    await desk.ask({ text: failing }, { onDelta: () => {}, onRestart });
    expect([restarts, desk.waits.length]).toEqual([1, 2]);
  });

  it('costs nothing of the rest when a listener throws', async () => {
    const desk = await openDesk();
    const onDelta = () => {
      throw new RangeError('full');
    };
    await expect(desk.ask({ text: '[[size 400]]' }, { onDelta })).rejects.toThrow(RangeError);
    await expect.poll(() => desk.simulator.requests[0]?.outcome).not.toBe('open');
  });
});

describe('a budget', () => {
  it('keeps an attempt from being made that could go past it, and the first is always made', async () => {
    const text = '[[cut times=1 after=5]] [[size 400]]';
    const ask = async (tokenBudget: number) => {
      const desk = await openDesk();
      const outcome = await desk.ask({ text, maxTokens: 9000 }, { tokenBudget }).then(
        () => 'answered',
        (error: ModelError) => error.reason,
      );
      return [outcome, desk.simulator.requests.length];
    };
    expect(await ask(9000)).toEqual(['unavailable', 1]);
    expect(await ask(20_000)).toEqual(['answered', 2]);
  });
});

describe('a key', () => {
  it('that is missing fails the call that needs it, naming provider and variable, and no other', async () => {
    verifies('model.provider.missing-key');
    const desk = await openDesk({
      declarations: [provider('router', 'http://127.0.0.1:9/v1', { apiKeyEnv: 'ROUTER_KEY' })],
    });
    const error = await errorOf(desk.ask({ model: 'router/m', text: 'hi' }));
    expect(error).toMatchObject({
      reason: 'missing_key',
      status: 502,
      message: 'provider "router" has no key: the variable ROUTER_KEY is not set',
    });
    expect(textOf(await desk.ask({ text: '[[say hi]]' }))).toBe('hi');
  });

  it('is read from the variables of the built-in providers', async () => {
    verifies('model.provider.keys');
    const ask = async (model: string) => {
      const { client, close } = createModels([], { env: () => undefined });
      const reply = client.complete(
        { model, messages: [user('hi')], maxTokens: 9 },
        { signal: new AbortController().signal },
      );
      const error = await errorOf(reply);
      close();
      return error.message;
    };
    expect(await ask('claude-opus-5')).toContain('the variable ANTHROPIC_API_KEY is not set');
    expect(await ask('gpt-5')).toContain('the variable OPENAI_API_KEY is not set');
  });

  it('of a model in a list makes room for the next', async () => {
    const desk = await openDesk({
      declarations: [
        provider('router', 'http://127.0.0.1:9/v1', { apiKeyEnv: 'ROUTER_KEY' }),
        models({ safe: ['router/m', 'openai/m'] }),
      ],
    });
    expect(textOf(await desk.ask({ model: 'safe', text: '[[say hi]]' }))).toBe('hi');
  });

  it('travels in the header of its provider', async () => {
    const desk = await openDesk({ declarations: [] });
    const at = desk.simulator.url;
    const bearer = createModels(
      [
        provider('a', at, { kind: 'anthropic', apiKeyEnv: 'K', auth: 'bearer' }),
        provider('none', `${at}/v1`),
      ],
      { env: () => 'key' },
    );
    const signal = new AbortController().signal;
    await desk.ask({ text: 'hi' });
    await desk.ask({ model: 'openai/m', text: 'hi' });
    await bearer.client.complete({ model: 'a/m', messages: [user('hi')], maxTokens: 9 }, { signal });
    await errorOf(
      bearer.client.complete({ model: 'none/m', messages: [user('hi')], maxTokens: 9 }, { signal }),
    );
    bearer.close();
    expect(desk.simulator.requests.map(({ auth }) => auth)).toEqual([
      'x-api-key',
      'bearer',
      'bearer',
      'none',
    ]);
  });
});
