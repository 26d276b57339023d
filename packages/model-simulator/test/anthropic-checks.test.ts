import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../src/index.ts';
import { anthropicTools, ask, getTicket, message, png } from './ask.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

const user = { role: 'user', content: 'hi' };
const use = (id: string) => ({ type: 'tool_use', id, name: 'get_ticket', input: {} });
const called = (...ids: string[]) => ({ role: 'assistant', content: ids.map(use) });
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });
const results = (...blocks: object[]) => ({ role: 'user', content: blocks });
const text = { type: 'text', text: 'and?' };
const image = (data = png, type = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type: type, data },
});
const cached = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };
const cachedHour = { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } };
const tools = anthropicTools(getTicket);
const output = (schema: object) => ({ output_config: { format: { type: 'json_schema', schema } } });
const newVersion = { 'anthropic-version': '2026-10-21' };

describe('a Messages request', () => {
  it.each<[string, object]>([
    ['a system text', { system: 'be kind' }],
    ['system blocks', { system: [cached] }],
    ['users that follow each other', { messages: [user, user] }],
    ['a beginning of the answer', { messages: [user, { role: 'assistant', content: 'I' }] }],
    [
      'results in any order, and text behind them',
      { messages: [user, called('a', 'b'), results(result('b'), result('a'), text)] },
    ],
    [
      'results in two messages',
      { messages: [user, called('a', 'b'), results(result('b')), results(result('a'))] },
    ],
    [
      'images in messages and results',
      { messages: [user, called('a'), results(result('a', [image()]), image())] },
    ],
    [
      'a result without content',
      { messages: [user, called('a'), results({ type: 'tool_result', tool_use_id: 'a' })] },
    ],
    [
      'blocks of the assistant that nobody knows',
      { messages: [user, { role: 'assistant', content: [{ type: 'x_new', a: 1 }] }, user] },
    ],
    ['temperature 1', { temperature: 1 }],
    ['4 breakpoints', { system: [cachedHour, cached, cached, cached] }],
    ['thinking', { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['a closed schema', output({ type: 'object', additionalProperties: false })],
    ['tools of the service', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['a name of 128 characters', { tools: anthropicTools({ name: 'a'.repeat(128) }) }],
  ])('may have %s', async (_what, more) => {
    const asked = await message(simulator, 'hi', more as Record<string, unknown>);
    expect(asked.json).toMatchObject({ type: 'message' });
  });

  it.each<[string, object, string]>([
    ['no model', { model: undefined }, 'model: Field required'],
    ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['max_tokens 0', { max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
    ['max_tokens 1.5', { max_tokens: 1.5 }, 'max_tokens: Input should be a valid integer'],
    ['no messages', { messages: undefined }, 'messages: Field required'],
    ['messages that are no list', { messages: 'hi' }, 'messages: Input should be a valid list'],
    ['an empty list of messages', { messages: [] }, 'messages: at least one message is required'],
    [
      'an assistant first',
      { messages: [{ role: 'assistant', content: 'a' }, user] },
      'messages: first message must use the "user" role',
    ],
    [
      'a tool as a role',
      { messages: [user, { role: 'tool', content: 'a' }] },
      'messages: Unexpected role "tool".',
    ],
    [
      'a system message',
      { messages: [{ role: 'system', content: 'a' }, user] },
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter',
    ],
    ['a message without content', { messages: [{ role: 'user' }] }, 'messages.0.content: Field required'],
    [
      'an empty content',
      { messages: [{ role: 'user', content: '' }] },
      'messages.0: all messages must have non-empty content',
    ],
    [
      'no blocks',
      { messages: [user, { role: 'assistant', content: [] }, user] },
      'messages.1: all messages must have non-empty content',
    ],
    [
      'an empty text',
      { messages: [results({ type: 'text', text: '' })] },
      'messages: text content blocks must be non-empty',
    ],
    [
      'a space at the end of a beginning',
      { messages: [user, { role: 'assistant', content: 'I ' }] },
      'final assistant content cannot end with trailing whitespace',
    ],
    [
      'a block that is unknown',
      { messages: [results({ type: 'x_new' })] },
      "messages.0.content.0: Input tag 'x_new' found using 'type' does not match any of the expected tags: 'text'",
    ],
    [
      'a call without result',
      { messages: [user, called('a', 'b'), results(result('a'))] },
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b.',
    ],
    [
      'a call at the end',
      { messages: [user, called('a')] },
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.',
    ],
    [
      'a text before the results',
      { messages: [user, called('a'), results(text, result('a'))] },
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.',
    ],
    [
      'a result of another call',
      { messages: [user, called('a'), results(result('a'), result('z'))] },
      'messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: z.',
    ],
    [
      'a result without any call',
      { messages: [results(result('z'))] },
      'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: z.',
    ],
    [
      'two results of one call',
      { messages: [user, called('a'), results(result('a'), result('a'))] },
      'each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    ],
    [
      'two calls of one id',
      { messages: [user, called('a', 'a'), results(result('a'), result('a'))] },
      'messages: `tool_use` ids must be unique',
    ],
    [
      'an id with a dot',
      { messages: [user, called('a.1'), results(result('a.1'))] },
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      'an input that is a text',
      {
        messages: [
          user,
          { role: 'assistant', content: [{ ...use('a'), input: '{}' }] },
          results(result('a')),
        ],
      },
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    ],
    ['a user that calls', { messages: [results(use('a'))] }, "Input tag 'tool_use'"],
    [
      'an assistant with results',
      { messages: [user, { role: 'assistant', content: [result('a')] }, user] },
      '`tool_result` blocks can only be in `user` messages',
    ],
    [
      'an unknown block in a result',
      { messages: [user, called('a'), results(result('a', [{ type: 'image_url' }]))] },
      "messages.2.content.0.tool_result.content.0: Input tag 'image_url'",
    ],
    [
      'a thought that was changed',
      {
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'thinking', thinking: 'a', signature: 'b' }, text] },
          user,
        ],
      },
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    ],
    [
      'an image of a type that is not taken',
      { messages: [results(image(png, 'image/bmp'))] },
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/png'",
    ],
    [
      'an image of another type than it says',
      { messages: [results(image(png, 'image/jpeg'))] },
      'The image was specified using the image/jpeg media type, but the image appears to be a image/png image',
    ],
    ['an image that is none', { messages: [results(image('aGVsbG8='))] }, 'Could not process image'],
    [
      'an image that is no base64',
      { messages: [results(image('data:image/png;base64,aGVsbG8='))] },
      'invalid base64 data',
    ],
    ['a tool without schema', { tools: [{ name: 'a' }] }, 'tools.0.custom.input_schema: Field required'],
    [
      'a tool of the other format',
      { tools: [{ type: 'custom', function: { name: 'a' } }] },
      'tools.0.custom.name: Field required',
    ],
    [
      'a schema without type',
      { tools: [{ name: 'a', input_schema: {} }] },
      'tools.0.custom.input_schema.type: Field required',
    ],
    [
      'a schema of a text',
      { tools: anthropicTools({ name: 'a', parameters: { type: 'string' } }) },
      "tools.0.custom.input_schema.type: Input should be 'object'",
    ],
    [
      'a tool with a space in its name',
      { tools: anthropicTools({ name: 'a b' }) },
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    [
      'a name of 129 characters',
      { tools: anthropicTools({ name: 'a'.repeat(129) }) },
      'tools.0.custom.name: String should match',
    ],
    [
      'two tools of one name',
      { tools: anthropicTools(getTicket, getTicket) },
      'tools: Tool names must be unique.',
    ],
    [
      'a choice without tools',
      { tool_choice: { type: 'any' } },
      'tool_choice: may only be specified while providing `tools`.',
    ],
    ['a choice of the other format', { tools, tool_choice: 'auto' }, 'tool_choice: Input tag'],
    [
      'a choice of a tool that is not there',
      { tools, tool_choice: { type: 'tool', name: 'b' } },
      "Tool 'b' not found in provided tools",
    ],
    [
      'a choice without a name',
      { tools, tool_choice: { type: 'tool' } },
      'tool_choice.tool.name: Field required',
    ],
    [
      'a forced tool with thinking',
      {
        tools,
        tool_choice: { type: 'any' },
        max_tokens: 2000,
        thinking: { type: 'enabled', budget_tokens: 1024 },
      },
      'Thinking may not be enabled when tool_choice forces tool use.',
    ],
    [
      'too small a budget to think',
      { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1023 } },
      'budget_tokens: Input should be greater than or equal to 1024',
    ],
    [
      'too large a budget to think',
      { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } },
      '`max_tokens` must be greater than `thinking.budget_tokens`.',
    ],
    [
      'an open schema',
      output({ type: 'object' }),
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    ['an open schema inside', output({ type: 'array', items: { type: 'object' } }), "For 'object' type"],
    ['an unknown parameter', { max_steps: 3 }, 'max_steps: Extra inputs are not permitted'],
    [
      'parameters of the other format',
      { max_completion_tokens: 3 },
      'max_completion_tokens: Extra inputs are not permitted',
    ],
    ['temperature 1.1', { temperature: 1.1 }, 'temperature: range: 0..1'],
    [
      '5 breakpoints',
      { system: [cached, cached, cached, cached, cached] },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      '5 breakpoints, one for all',
      { system: [cached, cached, cached, cached], cache_control: { type: 'ephemeral' } },
      'Found 5.',
    ],
    [
      'an hour after five minutes',
      { system: [cached, cachedHour] },
      "a ttl='1h' cache_control block must not come after a ttl='5m'",
    ],
    [
      'a breakpoint of another kind',
      { system: [{ ...cached, cache_control: { type: 'always' } }] },
      "cache_control.type: Input should be 'ephemeral'",
    ],
    [
      'a breakpoint for a day',
      { system: [{ ...cached, cache_control: { type: 'ephemeral', ttl: '1d' } }] },
      "cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    ],
    [
      'an empty text with a breakpoint',
      { system: [{ ...cached, text: '' }] },
      'cache_control cannot be set for empty text blocks',
    ],
    [
      'an empty stop sequence',
      { stop_sequences: [' '] },
      'stop_sequences: each stop sequence must contain non-whitespace',
    ],
  ])('may not have %s', async (_what, more, problem) => {
    const { status, json, headers } = await message(simulator, 'hi', more as Record<string, unknown>);
    expect([status, json]).toEqual([
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: expect.stringContaining(problem) },
        request_id: headers.get('request-id'),
      },
    ]);
  });

  it('may have thoughts as they came, and no others', async () => {
    const [thought] = (await message(simulator, '[[thinking a]] & [[say b]]')).json.content;
    const send = (block: object) =>
      message(simulator, '', { messages: [user, { role: 'assistant', content: [block, text] }, user] });
    expect((await send(thought)).status).toBe(200);
    expect((await send({ ...thought, thinking: 'c' })).status).toBe(400);
  });

  it('may not have base64 without its padding', async () => {
    const asked = await message(simulator, [image(png.replaceAll('=', ''))]);
    expect(asked.json.error.message).toContain('invalid base64 data');
  });

  it('may have images of 5 MB, and no larger ones', async () => {
    const large = (length: number) => `${png.slice(0, 20)}${'A'.repeat(length - 20)}`;
    const most = 5 * 1024 * 1024;
    expect((await message(simulator, [image(large(most - 4))])).status).toBe(200);
    expect((await message(simulator, [image(large(most))])).status).toBe(200);
    const over = await message(simulator, [image(large(most + 4))]);
    expect(over.json.error.message).toContain(
      `image exceeds 5 MB maximum: ${most + 4} bytes > ${most} bytes`,
    );
  });

  it('names the version that it is written for', async () => {
    const url = `${simulator.url}/v1/messages`;
    const missing = await ask(url, {}, { 'x-api-key': 'key' });
    expect([missing.status, missing.json.error.message]).toEqual([
      400,
      'anthropic-version: header is required',
    ]);
    const wrong = await ask(url, {}, { 'x-api-key': 'key', 'anthropic-version': '2020-01-01' });
    expect(wrong.json.error.message).toBe('anthropic-version: "2020-01-01" is not a valid version');
  });

  it.each(['temperature', 'top_p', 'top_k'])('may not have %s in the newer version', async (name) => {
    expect((await message(simulator, 'hi', { [name]: 1 })).status).toBe(200);
    const asked = await message(simulator, 'hi', { [name]: 1 }, newVersion);
    expect([asked.status, asked.json.error.message]).toEqual([
      400,
      `${name}: Extra inputs are not permitted`,
    ]);
  });

  it('may have system messages in the newer version, and no documents of the assistant', async () => {
    const messages = [user, { role: 'system', content: '[[say Yes.]]' }];
    const asked = await message(simulator, '', { messages }, newVersion);
    expect(asked.json.content[0].text).toBe('Yes.');
    const documents = [user, { role: 'assistant', content: [{ type: 'document' }] }, user];
    expect((await message(simulator, '', { messages: documents })).status).toBe(200);
    expect((await message(simulator, '', { messages: documents }, newVersion)).status).toBe(400);
  });

  it('must be a JSON object', async () => {
    const headers = { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };
    const asked = await ask(`${simulator.url}/v1/messages`, '{"model":', headers);
    expect([asked.status, asked.json.error.message]).toEqual([400, 'The request body is not valid JSON.']);
  });
});
