import type { Json } from '@waymark/contract';
import type { ModelError } from '@waymark/contract/models';
import { describe, expect, it } from 'vitest';
import { type CreateModelsOptions, type Post, pricing, provider } from '../src/index.ts';
import { callsOf, openDesk, textOf, user } from './desk.ts';

/** Answers everything with one text. */
function answering(text: string, type = 'application/json', headers: Readonly<Record<string, string>> = {}) {
  const post: Post = async () => ({
    status: 200,
    headers: { 'content-type': type, ...headers },
    read: async (onChunk) => onChunk(Buffer.from(text)),
    discard() {},
  });
  return post;
}

/** A whole chat completion. */
function completion(message: object, more: object = {}): string {
  return JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], ...more });
}

async function ask(text: string, options: CreateModelsOptions = {}, model = 'openai/m') {
  const desk = await openDesk({ post: answering(text), ...options });
  return desk.ask({ model, text: 'hi' });
}

describe('a word that every object has as a member', () => {
  it('is no reason to stop', async () => {
    const openai = completion({ content: 'x' }).replace('"stop"', '"constructor"');
    expect((await ask(openai)).stop).toBe('end');
    const anthropic = JSON.stringify({
      content: [{ type: 'text', text: 'x' }],
      stop_reason: 'toString',
    });
    expect((await ask(anthropic, {}, 'anthropic/m')).stop).toBe('end');
  });

  it.each(['openai/m', 'anthropic/m'])('is no kind of failure of %s', async (model) => {
    const text = JSON.stringify({ error: { type: 'constructor', message: 'no' } });
    const error = await ask(text, {}, model).catch((thrown: ModelError) => thrown);
    expect((error as ModelError).message).toMatch(/ is not available \(500\), asked 3 times$/);
  });
});

describe('the arguments of a call', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const call = (values: string) =>
    completion({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: values } }] });

  it.each([
    [255, 'object'],
    [256, 'object'],
    [257, 'string'],
    [100_000, 'string'],
  ])('with %d levels are read as %s', async (levels, kind) => {
    expect(typeof callsOf(await ask(call(nested(levels))))[0]?.arguments).toBe(kind);
  });

  it.each([
    ['{"n":[1e308, 0.10000000000000000555]}', { n: [1e308, 0.1] }],
    ['{"n":[-1e400]}', { n: ['-1e400'] }],
    ['{"order_id": 1234567890123456789}', { order_id: '1234567890123456789' }],
  ])('with a number that would be another one have it as a string: %s', async (written, expected) => {
    expect(callsOf(await ask(call(written)))[0]?.arguments).toEqual(expected);
    const block = `{"content":[{"type":"tool_use","id":"1","name":"f","input":${written}}]}`;
    expect(callsOf(await ask(block, {}, 'anthropic/m'))[0]?.arguments).toEqual(expected);
  });

  it('in a reply that is too deep make it no reply', async () => {
    const text = `{"content":[{"type":"tool_use","id":"1","name":"f","input":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}]}`;
    await expect(ask(text, {}, 'anthropic/m')).rejects.toMatchObject({ reason: 'malformed_reply' });
  });
});

describe('the name and the id of a call', () => {
  const calls = (...ids: readonly (string | undefined)[]) =>
    completion({ tool_calls: ids.map((id) => ({ id, function: { name: 'f' } })) });

  it('are such that both services take them back', async () => {
    const name = `functions.${'n'.repeat(80)}:0`;
    const reply = await ask(
      completion({ tool_calls: [{ id: 'i'.repeat(41), function: { name, arguments: '{}' } }] }),
    );
    expect(callsOf(reply)).toMatchObject([{ id: 'i'.repeat(40), name: `functions_${'n'.repeat(54)}` }]);
  });

  it('the id has 40 characters at most, whatever it is made of', async () => {
    const long = 'x'.repeat(39);
    const ids = async (text: string) => callsOf(await ask(text)).map(({ id }) => id);
    expect(await ids(calls(long, `${long}y`, `${long}yz`))).toEqual([
      long,
      `${long}y`,
      `${'x'.repeat(38)}_2`,
    ]);
    const post: Post = async (...given) => ({
      ...(await answering(calls(undefined, undefined))(...given)),
      headers: { 'content-type': 'application/json', 'x-request-id': 'r'.repeat(100) },
    });
    const made = callsOf(await ask('', { post })).map(({ id }) => id);
    expect(new Set(made).size).toBe(2);
    expect(made.map((id) => id.length)).toEqual([40, 40]);
  });

  it('the id is none that the conversation has', async () => {
    const desk = await openDesk({ post: answering(calls('call_0')) });
    const earlier = { type: 'tool_call', id: 'call_0', name: 'f', arguments: {} } as const;
    const reply = await desk.ask({
      model: 'openai/m',
      messages: [user('hi'), { role: 'assistant', parts: [earlier] }],
    });
    expect(callsOf(reply)[0]?.id).toBe('call_0_2');
  });

  it('nor is that of a call written as text', async () => {
    const desk = await openDesk({ post: answering(completion({ content: '{}' })) });
    const tool = { name: 'f', description: '', inputSchema: { type: 'object' } };
    const earlier = { type: 'tool_call', id: 'call_written', name: 'f', arguments: {} } as const;
    const reply = await desk.ask({
      model: 'openai/m',
      tools: [tool],
      toolChoice: 'required',
      messages: [user('hi'), { role: 'assistant', parts: [earlier] }],
    });
    expect(callsOf(reply)[0]?.id).toBe('call_written_2');
  });
});

describe('what a provider says that it counted', () => {
  const declarations = [pricing('openai/m', 1_000_000, 1_000_000, { cacheReadPerMtok: 1_000_000 })];
  const spendOf = async (usage: Json) => {
    const desk = await openDesk({ declarations, post: answering(completion({ content: 'x' }, { usage })) });
    return (await desk.ask({ model: 'openai/m', text: 'hi' })).spend[0];
  };

  it.each([
    [999_999_999, false],
    [1_000_000_000, false],
    [1_000_000_001, true],
    [-1, true],
    [1.5, true],
    [1e308, true],
    ['7', true],
  ])('%j: estimated instead: %j', async (count, estimated) => {
    const spend = await spendOf({ prompt_tokens: count, completion_tokens: count });
    expect(spend?.estimated).toBe(estimated);
    expect(Number.isSafeInteger(spend?.costMicros)).toBe(true);
  });

  it('is not paid for more cached tokens than there are', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 999 } };
    expect(await spendOf(usage)).toMatchObject({ cacheReadTokens: 10, costMicros: 10_000_000 });
  });
});

describe('the headers of an answer', () => {
  it('may say in capitals, or with an empty text, what they say', async () => {
    for (const encoding of ['', 'Identity']) {
      const post = answering(completion({ content: 'x' }), 'application/json', {
        'content-encoding': encoding,
      });
      expect(textOf(await ask('', { post }))).toBe('x');
    }
    const desk = await openDesk({
      post: answering(
        'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n',
        'Text/Event-Stream',
      ),
    });
    expect(textOf(await desk.ask({ model: 'openai/m', maxTokens: 16_000, text: 'hi' }))).toBe('x');
  });
});

describe('a stream that ends within an event', () => {
  const first = 'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n';
  const last = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';

  it('was cut, and is asked for again', async () => {
    const texts = [first + last.slice(0, -20), first + last];
    const post: Post = (...given) => answering(texts.shift() ?? '', 'text/event-stream')(...given);
    const desk = await openDesk({ post });
    const reply = await desk.ask({ model: 'openai/m', maxTokens: 16_000, text: 'hi' });
    expect([textOf(reply), reply.spend.map(({ estimated }) => estimated)]).toEqual(['hi', [true, true]]);
  });

  it('is whole when that was only its goodbye, or came after it', async () => {
    for (const end of ['data: [DO', 'data: [DONE]\n\ndata: bye\n\n']) {
      const desk = await openDesk({ post: answering(first + last + end, 'text/event-stream') });
      expect(textOf(await desk.ask({ model: 'openai/m', maxTokens: 16_000, text: 'hi' }))).toBe('hi');
      expect(desk.waits).toEqual([]);
    }
  });
});

describe('a provider to which nothing can be sent', () => {
  it.each([
    ['http://127.0.0.1:99999/v1', undefined],
    ['http://127.0.0.1:9', 'x\r\nevil: 1'],
  ])('%s, %j: is a failure of its own', async (url, anthropicVersion) => {
    const desk = await openDesk({
      declarations: [
        provider('bad', url, anthropicVersion === undefined ? {} : { kind: 'anthropic', anthropicVersion }),
      ],
    });
    await expect(desk.ask({ model: 'bad/m', text: 'hi' })).rejects.toMatchObject({
      reason: 'unavailable',
      message: 'nothing can be sent to provider "bad": its base URL or an option is wrong',
    });
  });
});

describe('what is found of a model', () => {
  it('counts only when it was that: the words of a refusal may be those of somebody else', async () => {
    const desk = await openDesk({
      simulator: {
        script: ({ turns }) =>
          JSON.stringify(turns).includes('poison')
            ? '[[error 400 message="extra inputs are not permitted: max_tokens"]]'
            : '[[say ok]]',
      },
    });
    await expect(desk.ask({ model: 'openai/m', text: 'poison' })).rejects.toMatchObject({
      reason: 'rejected',
    });
    await desk.ask({ model: 'openai/m', text: 'hi' });
    expect(desk.simulator.requests.at(-1)?.body).toHaveProperty('max_tokens');
  });
});

describe('a key in an error', () => {
  it('is not shown in part either', async () => {
    const post: Post = async (...given) => ({
      ...(await answering(`${'x'.repeat(190)}hush-of-the-desk`)(...given)),
      status: 400,
    });
    const error = await ask('', { post }).catch((thrown: ModelError) => thrown);
    expect(String((error as ModelError).cause)).not.toContain('hush');
  });
});
