import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../src/index.ts';
import { ask, chat, getTicket, openaiTools, png } from './ask.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

const user = { role: 'user', content: 'hi' };
const call = (id: string) => ({ id, type: 'function', function: { name: 'get_ticket', arguments: '{}' } });
const called = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const dataUrl = `data:image/png;base64,${png}`;
const tools = openaiTools(getTicket);
const format = (schema: object, strict = true) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema, strict } },
});
const closed = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};

describe('a Chat Completions request', () => {
  it.each<[string, object]>([
    [
      'system, developer, user and assistant',
      {
        messages: [
          { role: 'system', content: 's' },
          { role: 'developer', content: 'd' },
          user,
          { role: 'assistant', content: 'a' },
        ],
      },
    ],
    ['text parts', { messages: [{ role: 'system', content: [{ type: 'text', text: 's' }] }, user] }],
    ['an image', { messages: [{ role: 'user', content: [image(dataUrl)] }] }],
    [
      'an image behind a URL',
      { messages: [{ role: 'user', content: [image('https://example.com/a.png')] }] },
    ],
    [
      'a refusal that is sent back',
      { messages: [user, { role: 'assistant', content: null, refusal: 'no' }, user] },
    ],
    [
      'calls and their results in any order',
      { messages: [user, called('a', 'b'), result('b'), result('a')] },
    ],
    [
      'two calls of one id, as odd servers make them',
      { messages: [user, called('a', 'a'), result('a'), result('a')] },
    ],
    ['a tool without parameters', { tools: [{ type: 'function', function: { name: 'a' } }] }],
    [
      'null where a parameter may be null',
      { temperature: null, max_tokens: null, stop: null, stream_options: null },
    ],
    ['a strict schema', format(closed)],
    ['an open schema that is not strict', format({ type: 'object' }, false)],
    [
      'json_object with the word json',
      { response_format: { type: 'json_object' }, messages: [{ role: 'user', content: 'some JSON' }] },
    ],
    ['4 stops', { stop: ['a', 'b', 'c', 'd'] }],
    ['temperature 2', { temperature: 2 }],
    ['max_completion_tokens for a reasoning model', { model: 'o4-mini', max_completion_tokens: 1 }],
    ['128 tools', { tools: openaiTools(...Array.from({ length: 128 }, (_, i) => ({ name: `t${i}` }))) }],
    ['a name of 64 characters', { tools: openaiTools({ name: 'a'.repeat(64) }) }],
  ])('may have %s', async (_what, more) => {
    const asked = await chat(simulator, 'hi', more as Record<string, unknown>);
    expect(asked.json).toMatchObject({ object: 'chat.completion' });
  });

  it.each<[string, object, string, string | null, string | null]>([
    ['no model', { model: undefined }, 'you must provide a model parameter', null, null],
    [
      'no messages',
      { messages: undefined },
      "Missing required parameter: 'messages'.",
      'messages',
      'missing_required_parameter',
    ],
    [
      'messages that are no list',
      { messages: 'hi' },
      "Invalid type for 'messages'",
      'messages',
      'invalid_type',
    ],
    [
      'an empty list of messages',
      { messages: [] },
      "Invalid 'messages': empty array.",
      'messages',
      'empty_array',
    ],
    [
      'an unknown role',
      { messages: [{ role: 'human', content: 'hi' }] },
      "Invalid value: 'human'. Supported values are: 'developer', 'system'",
      'messages[0].role',
      'invalid_value',
    ],
    [
      'a user without content',
      { messages: [{ role: 'user' }] },
      "Invalid value for 'content'",
      'messages[0].content',
      null,
    ],
    [
      'an assistant with nothing',
      { messages: [user, { role: 'assistant', content: null }] },
      "Invalid value for 'content'",
      'messages[1].content',
      null,
    ],
    [
      'a content that is an object',
      { messages: [{ role: 'user', content: {} }] },
      "Invalid type for 'messages[0].content'",
      'messages[0].content',
      'invalid_type',
    ],
    [
      'no parts',
      { messages: [{ role: 'user', content: [] }] },
      'empty array',
      'messages[0].content',
      'empty_array',
    ],
    [
      'an unknown part',
      { messages: [{ role: 'user', content: [{ type: 'video' }] }] },
      "Invalid value: 'video'.",
      'messages[0].content[0].type',
      'invalid_value',
    ],
    [
      'a part without text',
      { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
      "Missing required parameter: 'messages[0].content[0].text'.",
      'messages[0].content[0].text',
      'missing_required_parameter',
    ],
    [
      'an image of the system',
      { messages: [{ role: 'system', content: [image(dataUrl)] }] },
      "this message with role 'system' contains an image URL",
      'messages[0]',
      'invalid_value',
    ],
    [
      'an image in a result',
      { messages: [user, called('a'), { ...result('a'), content: [image(dataUrl)] }] },
      "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
      'messages[2]',
      'invalid_value',
    ],
    [
      'an image that is none',
      { messages: [{ role: 'user', content: [image('data:image/png;base64,aGVsbG8=')] }] },
      'You uploaded an unsupported image.',
      'messages[0].content[0].image_url.url',
      'invalid_image_format',
    ],
    [
      'an image that is no base64',
      { messages: [{ role: 'user', content: [image('data:image/png;base64,***')] }] },
      'Expected a base64-encoded data URL',
      'messages[0].content[0].image_url.url',
      'invalid_value',
    ],
    [
      'an image without URL',
      { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
      'Missing required parameter',
      'messages[0].content[0].image_url.url',
      'missing_required_parameter',
    ],
    [
      'a result without a call',
      { messages: [user, result('a')] },
      "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      'messages.[1].role',
      null,
    ],
    [
      'a result of another call',
      { messages: [user, called('a'), result('b')] },
      "messages with role 'tool' must be a response",
      'messages.[2].role',
      null,
    ],
    [
      'two results of one call',
      { messages: [user, called('a'), result('a'), result('a')] },
      "messages with role 'tool' must be a response",
      'messages.[3].role',
      null,
    ],
    [
      'a result without id',
      { messages: [user, called('a'), { role: 'tool', content: 'ok' }] },
      "Missing parameter 'tool_call_id'",
      'messages[2].tool_call_id',
      null,
    ],
    [
      'a call without result',
      { messages: [user, called('a', 'b'), result('a'), user] },
      'The following tool_call_ids did not have response messages: b',
      'messages',
      null,
    ],
    [
      'a call at the end',
      { messages: [user, called('a')] },
      'did not have response messages: a',
      'messages',
      null,
    ],
    [
      'a user that calls',
      { messages: [{ ...user, tool_calls: [call('a')] }] },
      "Unknown parameter: 'messages[0].tool_calls'.",
      'messages[0].tool_calls',
      'unknown_parameter',
    ],
    [
      'an empty list of calls',
      { messages: [user, { role: 'assistant', tool_calls: [] }] },
      'empty array',
      'messages[1].tool_calls',
      'empty_array',
    ],
    [
      'arguments that are an object',
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [{ ...call('a'), function: { name: 'a', arguments: {} } }] },
          result('a'),
        ],
      },
      "Invalid type for 'messages[1].tool_calls[0].function.arguments'",
      'messages[1].tool_calls[0].function.arguments',
      'invalid_type',
    ],
    ['no tools', { tools: [] }, "Invalid 'tools': empty array.", 'tools', 'empty_array'],
    [
      '129 tools',
      { tools: openaiTools(...Array.from({ length: 129 }, (_, i) => ({ name: `t${i}` }))) },
      'array too long',
      'tools',
      null,
    ],
    [
      'a tool of the other format',
      { tools: [{ name: 'a', input_schema: {} }] },
      "Missing required parameter: 'tools[0].function'.",
      'tools[0].function',
      'missing_required_parameter',
    ],
    [
      'a tool with dots in its name',
      { tools: openaiTools({ name: 'a.b' }) },
      "Invalid 'tools[0].function.name'.",
      'tools[0].function.name',
      'invalid_value',
    ],
    [
      'a name of 65 characters',
      { tools: openaiTools({ name: 'a'.repeat(65) }) },
      "Invalid 'tools[0].function.name'.",
      'tools[0].function.name',
      'invalid_value',
    ],
    [
      'parameters that are no object',
      { tools: openaiTools({ name: 'a', parameters: { type: 'string' } }) },
      "Invalid schema for function 'a'",
      'tools[0].function.parameters',
      'invalid_function_parameters',
    ],
    [
      'an open strict tool',
      {
        tools: [{ type: 'function', function: { name: 'a', strict: true, parameters: { type: 'object' } } }],
      },
      "In context=(), 'additionalProperties' is required to be supplied and to be false",
      'tools[0].function.parameters',
      'invalid_function_parameters',
    ],
    [
      'a choice without tools',
      { tool_choice: 'auto' },
      "'tool_choice' is only allowed when 'tools' are specified.",
      'tool_choice',
      null,
    ],
    [
      'parallel calls without tools',
      { parallel_tool_calls: true },
      "'parallel_tool_calls' is only allowed",
      'parallel_tool_calls',
      null,
    ],
    [
      'a choice of the other format',
      { tools, tool_choice: { type: 'any' } },
      'Invalid value',
      'tool_choice',
      'invalid_value',
    ],
    [
      'a choice of a tool that is not there',
      { tools, tool_choice: { type: 'function', function: { name: 'b' } } },
      "Tool choice 'b' not found",
      'tool_choice',
      null,
    ],
    [
      'an open strict schema',
      format({ ...closed, additionalProperties: true }),
      "'additionalProperties' is required",
      'response_format',
      'invalid_function_parameters',
    ],
    [
      'a strict schema with an optional member',
      format({ ...closed, required: [] }),
      "Missing 'a'",
      'response_format',
      'invalid_function_parameters',
    ],
    [
      'an open object inside a strict schema',
      format({ ...closed, properties: { a: { type: 'array', items: { type: 'object' } } } }),
      "In context=('a', 'items')",
      'response_format',
      'invalid_function_parameters',
    ],
    [
      'a schema without name',
      { response_format: { type: 'json_schema', json_schema: { schema: closed } } },
      "Invalid 'response_format.json_schema.name'",
      'response_format.json_schema.name',
      'invalid_value',
    ],
    [
      'a format without schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
      'Missing required parameter',
      'response_format.json_schema.schema',
      'missing_required_parameter',
    ],
    [
      'json_object without the word',
      { response_format: { type: 'json_object' } },
      "'messages' must contain the word 'json'",
      'messages',
      null,
    ],
    [
      'an unknown parameter',
      { max_steps: 3 },
      "Unknown parameter: 'max_steps'.",
      'max_steps',
      'unknown_parameter',
    ],
    [
      'both limits',
      { max_tokens: 5, max_completion_tokens: 5 },
      'at the same time is not supported',
      'max_tokens',
      null,
    ],
    [
      'max_tokens for a reasoning model',
      { model: 'o4-mini', max_tokens: 5 },
      "Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    ],
    [
      'temperature for a reasoning model',
      { model: 'o4-mini', temperature: 0.2 },
      'Only the default (1) value is supported.',
      'temperature',
      'unsupported_value',
    ],
    ['no tokens', { max_tokens: 0 }, 'integer below minimum value', 'max_tokens', 'integer_below_min_value'],
    [
      'half a token',
      { max_completion_tokens: 1.5 },
      'expected an integer',
      'max_completion_tokens',
      'invalid_type',
    ],
    [
      'temperature 2.1',
      { temperature: 2.1 },
      'decimal above maximum value',
      'temperature',
      'decimal_above_max_value',
    ],
    [
      'temperature -1',
      { temperature: -1 },
      'decimal below minimum value',
      'temperature',
      'decimal_below_min_value',
    ],
    ['a temperature in words', { temperature: 'hot' }, 'expected a decimal', 'temperature', 'invalid_type'],
    ['5 stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'array too long', 'stop', null],
    [
      'stream options without a stream',
      { stream_options: { include_usage: true } },
      "only allowed when 'stream' is enabled",
      'stream_options',
      null,
    ],
    ['two choices', { n: 2 }, 'n is 1', 'n', 'unsupported_value'],
  ])('may not have %s', async (_what, more, text, param, code) => {
    const { status, json } = await chat(simulator, 'hi', more as Record<string, unknown>);
    expect([status, json.error]).toEqual([
      400,
      { message: expect.stringContaining(text), type: 'invalid_request_error', param, code },
    ]);
  });

  it.each(['{"model":', '[]', '"text"', ''])('must be a JSON object: %j', async (body) => {
    const url = `${simulator.url}/v1/chat/completions`;
    const asked = await ask(url, body, { authorization: 'Bearer key' });
    expect([asked.status, asked.json.error.message]).toEqual([
      400,
      'We could not parse the JSON body of your request.',
    ]);
  });

  it('may come without /v1', async () => {
    const body = { model: 'm', messages: [user] };
    expect(
      (await ask(`${simulator.url}/chat/completions`, body, { authorization: 'Bearer key' })).status,
    ).toBe(200);
  });
});
