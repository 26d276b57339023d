import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quirkNames, type Simulator, startSimulator } from '../src/index.ts';
import { anthropicTools, chat, getTicket, message, openaiTools, png } from './ask.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

const twoCalls = '[[calls get_ticket {"id":4}, get_ticket {"id":5}]]';
const tools = openaiTools(getTicket);
const openai = (quirk: string, more: Record<string, unknown> = {}) =>
  chat(simulator, `[[quirk ${quirk}]] ${twoCalls}`, { tools, ...more });
const anthropic = (quirk: string, more: Record<string, unknown> = {}) =>
  message(simulator, `[[quirk ${quirk}]] ${twoCalls}`, { tools: anthropicTools(getTicket), ...more });

// biome-ignore lint/suspicious/noExplicitAny: members of a wire format
const callDeltas = async (quirk: string): Promise<any[]> =>
  (await openai(quirk, { stream: true })).events.flatMap(
    ({ data }) => data.choices?.[0]?.delta.tool_calls ?? [],
  );

describe('quirks of replies', () => {
  it('finish_reason_stop: calls end like a text', async () => {
    expect((await openai('finish_reason_stop')).json.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { tool_calls: [{}, {}] },
    });
    expect((await anthropic('finish_reason_stop')).json.stop_reason).toBe('end_turn');
  });

  it('no_index and index_zero: streamed calls cannot be told apart by their index', async () => {
    expect((await callDeltas('no_index')).every((delta) => !('index' in delta))).toBe(true);
    expect((await callDeltas('index_zero')).map(({ index }) => index)).toEqual([0, 0, 0, 0]);
    expect((await callDeltas('comments')).map(({ index }) => index)).toEqual([0, 0, 1, 1]);
  });

  it('object_arguments: arguments are an object', async () => {
    const { message: reply } = (await openai('object_arguments')).json.choices[0];
    expect(reply.tool_calls[0].function.arguments).toEqual({ id: 4 });
    expect((await callDeltas('object_arguments'))[1].function).toEqual({
      name: 'get_ticket',
      arguments: { id: 5 },
    });
  });

  it('missing_ids and duplicate_ids: calls have no ids, or one for all', async () => {
    expect((await openai('missing_ids')).json.choices[0].message.tool_calls[0]).not.toHaveProperty('id');
    const [first, second] = (await openai('duplicate_ids')).json.choices[0].message.tool_calls;
    expect(second.id).toBe(first.id);
    const { content } = (await anthropic('duplicate_ids')).json;
    expect(content[1].id).toBe(content[0].id);
  });

  it('duplicate_ids: what was sent is taken back', async () => {
    const { content } = (await anthropic('duplicate_ids')).json;
    const results = [1, 2].map(() => ({ type: 'tool_result', tool_use_id: content[0].id, content: 'ok' }));
    const messages = [
      { role: 'user', content: '[[quirk duplicate_ids]] hi' },
      { role: 'assistant', content },
      { role: 'user', content: results },
    ];
    expect((await message(simulator, '', { messages })).status).toBe(200);
  });

  it('whole_calls: a streamed call comes in one piece', async () => {
    expect((await callDeltas('whole_calls')).map((delta) => delta.function.arguments)).toEqual([
      '{"id":4}',
      '{"id":5}',
    ]);
  });

  it('empty_content: content is an empty text beside calls', async () => {
    expect((await openai('empty_content')).json.choices[0].message.content).toBe('');
  });

  it('no_done: a stream ends without [DONE]', async () => {
    const { events } = await openai('no_done', { stream: true });
    expect(events.at(-1)?.data.choices[0].finish_reason).toBe('tool_calls');
  });

  it('no_usage: nothing is said of the usage, even when it was asked for', async () => {
    expect((await openai('no_usage')).json).not.toHaveProperty('usage');
    const streamed = await openai('no_usage', { stream: true, stream_options: { include_usage: true } });
    expect(streamed.events.some(({ data }) => data.usage !== undefined)).toBe(false);
    expect((await anthropic('no_usage')).json).not.toHaveProperty('usage');
    const { events } = await anthropic('no_usage', { stream: true });
    expect(events.some(({ data }) => data.usage ?? data.message?.usage)).toBe(false);
  });

  it('usage_with_finish: usage comes with the finish reason', async () => {
    const more = { stream: true, stream_options: { include_usage: true } };
    const { events } = await openai('usage_with_finish', more);
    expect(events.at(-2)?.data).toMatchObject({
      choices: [{ finish_reason: 'tool_calls' }],
      usage: { completion_tokens: 10 },
    });
  });

  it('comments, crlf and split_bytes: the same events in another dress', async () => {
    const text = '[[say Grüße 😀]]';
    const plain = await message(simulator, `[[quirk no_done]] ${text}`, { stream: true });
    const names = plain.events.map(({ name }) => name);
    const comments = await message(simulator, `[[quirk comments]] ${text}`, { stream: true });
    expect(comments.text).toMatch(/^: still here\n\nevent: message_start\n/);
    expect(comments.events.map(({ name }) => name)).toEqual(names);
    const crlf = await message(simulator, `[[quirk crlf]] ${text}`, { stream: true });
    expect(crlf.text).toMatch(/^event: message_start\r\ndata: .*\r\n\r\n/);
    expect(crlf.events.map(({ name }) => name)).toEqual(names);
    const split = await message(simulator, `[[quirk split_bytes]] ${text}`, { stream: true });
    expect(split.events.map(({ name }) => name)).toEqual(names);
  });

  it('split_bytes: pieces of a few bytes', async () => {
    const body = {
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: '[[quirk split_bytes]] [[say Hi]]' }],
    };
    const sending = request(`${simulator.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
    }).end(JSON.stringify(body));
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    const sizes: number[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) sizes.push(chunk.length);
    // The kernel may join neighbours; without the quirk it is one piece.
    expect(sizes.length).toBeGreaterThan(20);
  });
});

describe('quirks of checks', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
  const remote = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  const source = { type: 'base64', media_type: 'image/png', data: png };
  const quirky = (quirk: string) => ({ role: 'user', content: `[[quirk ${quirk}]]` });
  const call = { id: 'a', type: 'function', function: { name: 'a', arguments: '{}' } };
  const toolImage = (quirk: string) => ({
    messages: [
      quirky(quirk),
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: [image] },
    ],
  });
  const format = {
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
  };
  const named = { tool_choice: { type: 'function', function: { name: 'get_ticket' } } };

  it.each<[string, object]>([
    ['refuse_tool_choice_object', { tools, ...named }],
    ['refuse_max_completion_tokens', { max_completion_tokens: 5 }],
    ['refuse_max_tokens', { max_tokens: 5 }],
    ['refuse_temperature', { temperature: 0.5 }],
    ['refuse_response_format', format],
    ['refuse_unknown_fields', { parallel_tool_calls: true, tools }],
    ['refuse_unknown_fields', { tools: [{ type: 'function', function: { name: 'a', strict: false } }] }],
    ['refuse_unknown_fields', { store: false }],
    ['refuse_image_urls', { messages: [quirky('refuse_image_urls'), { role: 'user', content: [remote] }] }],
  ])('%s on Chat Completions', async (quirk, more) => {
    const body = { messages: [quirky(quirk)], ...more };
    expect((await chat(simulator, '', body)).status).toBe(400);
    const mild = JSON.parse(JSON.stringify(body).replace(`[[quirk ${quirk}]]`, 'hi')) as Record<
      string,
      unknown
    >;
    expect((await chat(simulator, '', mild)).status).toBe(200);
  });

  it.each<[string, object]>([
    ['refuse_temperature', { temperature: 0.5 }],
    ['refuse_unknown_fields', { metadata: {} }],
    ['refuse_response_format', { output_config: { format: { type: 'json_schema', schema: {} } } }],
    [
      'refuse_image_urls',
      {
        messages: [
          quirky('refuse_image_urls'),
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'url', url: 'https://example.com/' } }],
          },
        ],
      },
    ],
    [
      'refuse_tool_images',
      {
        messages: [
          quirky('refuse_tool_images'),
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'a', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source }] }],
          },
        ],
      },
    ],
  ])('%s on Messages', async (quirk, more) => {
    const body = { messages: [quirky(quirk)], ...more };
    expect((await message(simulator, '', body)).status).toBe(400);
    const mild = JSON.parse(JSON.stringify(body).replace(`[[quirk ${quirk}]]`, 'hi')) as Record<
      string,
      unknown
    >;
    expect((await message(simulator, '', mild)).status).toBe(200);
  });

  it('refuse_tool_choice_object takes the words', async () => {
    const asked = await chat(simulator, '[[quirk refuse_tool_choice_object]] hi', {
      tools,
      tool_choice: 'required',
    });
    expect(asked.json.choices[0].message.tool_calls).toHaveLength(1);
  });

  it('accept_tool_images takes what Chat Completions does not', async () => {
    expect((await chat(simulator, '', toolImage('accept_tool_images'))).status).toBe(200);
    expect((await chat(simulator, '', toolImage('no_done'))).status).toBe(400);
    expect((await chat(simulator, '', toolImage('refuse_tool_images'))).status).toBe(400);
  });
});

describe('[[usage]]', () => {
  it('none, null and odd', async () => {
    expect((await chat(simulator, '[[usage none]] hi')).json).not.toHaveProperty('usage');
    expect((await chat(simulator, '[[usage null]] hi')).json.usage).toBeNull();
    expect((await chat(simulator, '[[usage odd]] hi')).json.usage).toMatchObject({ completion_tokens: null });
    expect((await message(simulator, '[[usage none]] hi')).json).not.toHaveProperty('usage');
    expect((await message(simulator, '[[usage null]] hi')).json.usage).toBeNull();
    expect((await message(simulator, '[[usage odd]] hi')).json.usage).toMatchObject({ input_tokens: null });
  });

  it('numbers instead of those that were counted', async () => {
    const text = '[[usage input=1000 output=50 cached=600 written=300 thinking=7]] hi';
    expect((await chat(simulator, text)).json.usage).toMatchObject({
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1050,
      prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 7 },
    });
    expect((await message(simulator, text)).json.usage).toMatchObject({
      input_tokens: 100,
      cache_read_input_tokens: 600,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 0 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 7 },
    });
  });
});

it('are all told in the README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(quirkNames.filter((quirk) => !readme.includes(`\`${quirk}\``))).toEqual([]);
});
