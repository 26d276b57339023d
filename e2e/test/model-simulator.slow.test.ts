import { verifies } from '@waymark/contract/testing';
import { type Simulator, startSimulator } from '@waymark/model-simulator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AnthropicPeer, loadClients, type OpenAIPeer, type Peers } from '../model-peers/load-clients.ts';

const parameters = {
  type: 'object',
  properties: { id: { type: 'integer' } },
  required: ['id'],
  additionalProperties: false,
};
const openaiTools = [
  { type: 'function', function: { name: 'get_ticket', description: 'Reads one ticket.', parameters } },
];
const anthropicTools = [{ name: 'get_ticket', description: 'Reads one ticket.', input_schema: parameters }];
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';
const pngSeen = '1 image: image/png 70 bytes sha256:';

const schemas: readonly object[] = [
  { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  { type: 'object', properties: { id: { type: 'integer', maximum: 9 } }, required: ['id'] },
  {
    type: 'object',
    properties: { share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 } },
    required: ['share'],
  },
  {
    type: 'object',
    properties: { even: { type: 'integer', multipleOf: 2, minimum: 3 } },
    required: ['even'],
  },
  {
    type: 'object',
    properties: { level: { enum: ['low', 'urgent'] }, kind: { const: 7 } },
    required: ['level', 'kind'],
  },
  {
    type: 'object',
    properties: { tags: { type: 'array', minItems: 3, items: { type: 'string', minLength: 2 } } },
    required: ['tags'],
  },
  { type: 'object', properties: { short: { type: 'string', maxLength: 4 } }, required: ['short'] },
  {
    type: 'object',
    properties: { at: { type: 'string', format: 'date-time' }, mail: { type: 'string', format: 'email' } },
    required: ['at', 'mail'],
  },
  {
    type: 'object',
    properties: { note: { type: ['string', 'null'] }, done: { type: 'boolean' } },
    required: ['note', 'done'],
  },
  {
    type: 'object',
    properties: { either: { anyOf: [{ type: 'null' }, { type: 'integer' }] } },
    required: ['either'],
  },
  {
    $defs: {
      node: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        },
        required: ['id'],
      },
    },
    $ref: '#/$defs/node',
  },
  {
    allOf: [
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      { properties: { b: { type: 'boolean' } }, required: ['b'] },
    ],
  },
  { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
  { type: 'string' },
  {},
];

let peers: Peers;
let simulator: Simulator;
let openai: OpenAIPeer;
let anthropic: AnthropicPeer;

beforeAll(async () => {
  peers = await loadClients();
  simulator = await startSimulator({ apiKeys: ['right-key'], models: ['sim'] });
  openai = peers.openai(openaiOptions());
  anthropic = peers.anthropic(anthropicOptions());
}, 300_000);

afterAll(() => simulator.close());

beforeEach(() => {
  simulator.reset();
});

const openaiOptions = () => ({
  apiKey: 'right-key',
  baseURL: `${simulator.url}/v1`,
  maxRetries: 0,
  logLevel: 'off',
});
const anthropicOptions = () => ({
  apiKey: 'right-key',
  baseURL: simulator.url,
  maxRetries: 0,
  logLevel: 'off',
});

const chat = (content: unknown, more: object = {}) => ({
  model: 'sim',
  messages: [{ role: 'user', content }],
  ...more,
});
const message = (content: unknown, more: object = {}) => ({
  ...chat(content, more),
  max_tokens: 1000,
  ...more,
});

async function collect(stream: AsyncIterable<Record<string, unknown>>): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** What a promise failed with, by the name of its class. */
async function failureOf(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await promise.then(
    () => new Error('was answered'),
    (reason: unknown) => reason as Error,
  );
  const members: Record<string, unknown> = {};
  return Object.assign(members, error, { kind: error.constructor.name, message: error.message });
}

describe('the official client of Chat Completions', () => {
  it('reads a text with its usage', async () => {
    verifies('simulator.official-clients');
    expect(await openai.chat.completions.create(chat('[[say Hello.]]'))).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-\w{29}$/),
      object: 'chat.completion',
      model: 'sim',
      choices: [{ message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 },
      _request_id: expect.stringMatching(/^req_\w{24}$/),
    });
    expect(simulator.requests).toMatchObject([{ format: 'openai', auth: 'bearer', outcome: 'replied' }]);
  });

  it('adds the chunks of a stream up to the same text', async () => {
    const stream = openai.chat.completions.stream(
      chat('[[say A longer text, in several pieces: ä€😀.]]', { stream_options: { include_usage: true } }),
    );
    expect(await stream.finalChatCompletion()).toMatchObject({
      choices: [{ message: { content: 'A longer text, in several pieces: ä€😀.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: 11 },
    });
  });

  it('is told the usage in a chunk of its own, and only when it asks', async () => {
    const events = async (more: object) =>
      collect(
        (await openai.chat.completions.create(
          chat('[[say Hi]]', { stream: true, ...more }),
        )) as AsyncIterable<Record<string, unknown>>,
      );
    const asked = await events({ stream_options: { include_usage: true } });
    expect(asked.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 1 } });
    expect(asked.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect((await events({})).some((event) => 'usage' in event)).toBe(false);
  });

  it('reads a call of a tool', async () => {
    const reply = await openai.chat.completions.create(
      chat('[[call get_ticket {"id":4}]]', { tools: openaiTools }),
    );
    expect(reply).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: null,
            tool_calls: [
              {
                id: expect.stringMatching(/^call_\w{24}$/),
                type: 'function',
                function: { name: 'get_ticket', arguments: '{"id":4}' },
              },
            ],
          },
        },
      ],
    });
  });

  it('puts parallel calls of a stream together', async () => {
    const stream = openai.chat.completions.stream(
      chat('[[say Both.]] & [[calls get_ticket {"id":4}, get_ticket {"id":500000000000}]]', {
        tools: openaiTools,
      }),
    );
    expect(await stream.finalChatCompletion()).toMatchObject({
      choices: [
        {
          message: {
            content: 'Both.',
            tool_calls: [
              { function: { arguments: '{"id":4}' } },
              { function: { arguments: '{"id":500000000000}' } },
            ],
          },
        },
      ],
    });
  });

  it('runs its own loop over tools to the end', async () => {
    const asked: unknown[] = [];
    const runner = openai.chat.completions.runTools(
      chat(
        '[[call get_ticket {"id":4}]] [[calls get_ticket {"id":5}, get_ticket {"id":6}]] [[echo results]]',
        {
          tools: [
            {
              type: 'function',
              function: {
                name: 'get_ticket',
                description: 'Reads one ticket.',
                parameters,
                parse: JSON.parse,
                function: (values: unknown) => {
                  asked.push(values);
                  return { title: 'Printer' };
                },
              },
            },
          ],
        },
      ),
    );
    expect(JSON.parse((await runner.finalContent()) ?? '')).toMatchObject(
      [1, 2, 3].map(() => ({ name: 'get_ticket', text: '{"title":"Printer"}' })),
    );
    expect(asked).toEqual([{ id: 4 }, { id: 5 }, { id: 6 }]);
  });

  it('parses an answer that keeps to a schema', async () => {
    const schema = {
      type: 'object',
      properties: { team: { enum: ['billing', 'printers'] }, count: { type: 'integer', minimum: 3 } },
      required: ['team', 'count'],
      additionalProperties: false,
    };
    const reply = await openai.chat.completions.parse(
      chat('who looks after printers?', {
        response_format: { type: 'json_schema', json_schema: { name: 'route', schema, strict: true } },
      }),
    );
    expect(JSON.parse(contentOf(reply))).toEqual({ team: 'printers', count: 3 });
  });

  it('gets the tool that it forces', async () => {
    const reply = await openai.chat.completions.create(
      chat('hello', {
        tools: openaiTools,
        tool_choice: { type: 'function', function: { name: 'get_ticket' } },
      }),
    );
    expect(reply).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: 'get_ticket', arguments: '{"id":1}' } }] } }],
    });
  });

  it('sends images in messages of the user', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
    const reply = await openai.chat.completions.create(chat([{ type: 'text', text: '[[images]]' }, image]));
    expect(contentOf(reply)).toContain(pngSeen);
  });

  it('reads a refusal', async () => {
    const reply = await openai.chat.completions.create(chat('[[refuse I would rather not.]]'));
    expect(reply).toMatchObject({
      choices: [{ message: { content: null, refusal: 'I would rather not.' } }],
    });
  });

  it('throws its own class for each kind of error', async () => {
    const fails = (text: string) => failureOf(openai.chat.completions.create(chat(text)));
    expect(await fails('[[error 429 retry-after=7]]')).toMatchObject({
      kind: 'RateLimitError',
      status: 429,
      code: 'rate_limit_exceeded',
      requestID: expect.stringMatching(/^req_/),
    });
    expect(await fails('[[error 429 code=insufficient_quota]]')).toMatchObject({
      code: 'insufficient_quota',
    });
    expect(await fails('[[error 500]]')).toMatchObject({ kind: 'InternalServerError' });
    const stranger = peers.openai({ ...openaiOptions(), apiKey: 'wrong-key' });
    expect(await failureOf(stranger.chat.completions.create(chat('hi')))).toMatchObject({
      kind: 'AuthenticationError',
      code: 'invalid_api_key',
    });
    expect(await failureOf(openai.chat.completions.create({ ...chat('hi'), model: 'other' }))).toMatchObject({
      kind: 'NotFoundError',
      code: 'model_not_found',
    });
    expect(await failureOf(openai.chat.completions.create({ model: 'sim', messages: [] }))).toMatchObject({
      kind: 'BadRequestError',
      param: 'messages',
    });
  });

  it('retries by itself until the script lets it through', async () => {
    const patient = peers.openai({ ...openaiOptions(), maxRetries: 2 });
    const reply = await patient.chat.completions.create(
      chat('[[error 429 retry-after-ms=1 times=1]] [[error 503 retry-after-ms=1 times=1]] [[say Finally.]]'),
    );
    expect(contentOf(reply)).toBe('Finally.');
    expect(simulator.requests.map(({ status, attempt }) => [status, attempt])).toEqual([
      [429, 1],
      [503, 2],
      [200, 3],
    ]);
  });

  it('fails on a stream that is cut, on one that carries an error, and on a broken body', async () => {
    const streamed = async (text: string) =>
      collect(
        (await openai.chat.completions.create(chat(text, { stream: true }))) as AsyncIterable<
          Record<string, unknown>
        >,
      );
    expect(await failureOf(streamed('[[cut after=2]] [[say Hello there.]]'))).toMatchObject({
      message: 'terminated',
    });
    expect(await failureOf(streamed('[[error 500 after=2]] [[say Hello there.]]'))).toMatchObject({
      message: 'Internal server error',
    });
    expect(await failureOf(streamed('[[malformed]] [[say Hello there.]]'))).toMatchObject({
      kind: 'SyntaxError',
    });
    expect(await failureOf(openai.chat.completions.create(chat('[[malformed]]')))).toMatchObject({
      kind: 'SyntaxError',
    });
  });

  it('times out on a hanging answer', async () => {
    const hasty = peers.openai({ ...openaiOptions(), timeout: 100 });
    expect(await failureOf(hasty.chat.completions.create(chat('[[hang]]')))).toMatchObject({
      kind: 'APIConnectionTimeoutError',
    });
  });

  it('reads events that come torn apart, with comments between them', async () => {
    const stream = openai.chat.completions.stream(
      chat('[[quirk split_bytes comments crlf]] [[say Grüße aus €uropa 😀]]'),
    );
    expect(contentOf(await stream.finalChatCompletion())).toBe('Grüße aus €uropa 😀');
  });

  it('is told what was read from the cache', async () => {
    const long = { role: 'system', content: 'x'.repeat(5000) };
    const ask = (content: string) =>
      openai.chat.completions.create({ model: 'sim', messages: [long, { role: 'user', content }] });
    expect(await ask('one')).toMatchObject({ usage: { prompt_tokens_details: { cached_tokens: 0 } } });
    expect(await ask('two')).toMatchObject({ usage: { prompt_tokens_details: { cached_tokens: 1258 } } });
  });
});

describe('the official client of Messages', () => {
  it('reads a text with its usage', async () => {
    verifies('simulator.official-clients');
    expect(await anthropic.messages.create(message('[[say Hello.]]'))).toMatchObject({
      id: expect.stringMatching(/^msg_01\w{22}$/),
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 14, output_tokens: 2, cache_read_input_tokens: 0 },
      _request_id: expect.stringMatching(/^req_\w{24}$/),
    });
    expect(simulator.requests).toMatchObject([
      { format: 'anthropic', auth: 'bearer', headers: { 'anthropic-version': '2026-10-21' } },
    ]);
  });

  it('adds the events of a stream up to the same text', async () => {
    const text = 'A longer text, in several pieces: ä€😀.';
    const stream = anthropic.messages.stream(message(`[[say ${text}]]`));
    expect(await stream.finalMessage()).toMatchObject({
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { output_tokens: 11 },
    });
  });

  it('gets the events in the order of the service', async () => {
    const stream = (await anthropic.messages.create(
      message('[[say Hi]] & [[call get_ticket {"id":4}]]', { stream: true, tools: anthropicTools }),
    )) as AsyncIterable<Record<string, unknown>>;
    expect(
      (await collect(stream)).map(({ type, index }) => `${String(type)} ${String(index ?? '')}`.trim()),
    ).toEqual([
      'message_start',
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
      'content_block_delta 1',
      'content_block_stop 1',
      'message_delta',
      'message_stop',
    ]);
  });

  it('reads a call of a tool', async () => {
    const reply = await anthropic.messages.create(
      message('[[say I look.]] & [[call get_ticket {"id":4}]]', { tools: anthropicTools }),
    );
    expect(reply).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'I look.' },
        {
          type: 'tool_use',
          id: expect.stringMatching(/^toolu_01\w{22}$/),
          name: 'get_ticket',
          input: { id: 4 },
        },
      ],
    });
  });

  it('puts parallel calls of a stream together', async () => {
    const stream = anthropic.messages.stream(
      message('[[calls get_ticket {"id":4}, get_ticket {"id":500000000000}]]', { tools: anthropicTools }),
    );
    expect(await stream.finalMessage()).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { name: 'get_ticket', input: { id: 4 } },
        { name: 'get_ticket', input: { id: 500000000000 } },
      ],
    });
  });

  it('plays a script over several turns, with thinking sent back', async () => {
    const first = message('[[thinking First I look.]] & [[call get_ticket {"id":4}]] [[echo results]]', {
      tools: anthropicTools,
    });
    const stream = anthropic.messages.stream(first);
    const { content } = (await stream.finalMessage()) as { content: { type: string; id: string }[] };
    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'First I look.', signature: expect.stringMatching(/.{40}/) },
      { type: 'tool_use' },
    ]);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } };
    const result = { type: 'tool_result', tool_use_id: content[1]?.id, content: [image] };
    const reply = await anthropic.messages.create({
      ...first,
      messages: [...first.messages, { role: 'assistant', content }, { role: 'user', content: [result] }],
    });
    expect(textOf(reply)).toContain('"name":"get_ticket"');
    expect(textOf(reply)).toContain('image/png 70 bytes');
  });

  it('gets an answer that keeps to a schema', async () => {
    const schema = {
      type: 'object',
      properties: { team: { enum: ['billing', 'printers'] }, count: { type: 'integer', minimum: 3 } },
      required: ['team', 'count'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema', schema };
    const reply = await anthropic.messages.create(
      message('who looks after printers?', { output_config: { format } }),
    );
    expect(JSON.parse(textOf(reply))).toEqual({ team: 'printers', count: 3 });
  });

  it('gets the tool that it forces', async () => {
    const reply = await anthropic.messages.create(
      message('hello', { tools: anthropicTools, tool_choice: { type: 'tool', name: 'get_ticket' } }),
    );
    expect(reply).toMatchObject({ content: [{ type: 'tool_use', name: 'get_ticket', input: { id: 1 } }] });
  });

  it('reads the stop reasons that need a branch of their own', async () => {
    const stopOf = async (text: string, more: object = {}) =>
      ((await anthropic.messages.create(message(text, more))) as { stop_reason: string }).stop_reason;
    expect(await stopOf('[[pause]]')).toBe('pause_turn');
    expect(await stopOf('[[refuse]]')).toBe('refusal');
    expect(await stopOf('[[stop context_window]]')).toBe('model_context_window_exceeded');
    expect(await stopOf('[[size 100]]', { max_tokens: 5 })).toBe('max_tokens');
    expect(await stopOf('[[say one two]]', { stop_sequences: ['two'] })).toBe('stop_sequence');
  });

  it('throws its own class for each kind of error', async () => {
    const fails = (text: string) => failureOf(anthropic.messages.create(message(text)));
    expect(await fails('[[error 429 retry-after=7]]')).toMatchObject({
      kind: 'RateLimitError',
      status: 429,
      requestID: expect.stringMatching(/^req_/),
      error: { type: 'error', error: { type: 'rate_limit_error' } },
    });
    expect(await fails('[[error 529]]')).toMatchObject({
      status: 529,
      error: { error: { type: 'overloaded_error' } },
    });
    expect(await fails('[[error 500]]')).toMatchObject({ kind: 'InternalServerError' });
    const stranger = peers.anthropic({ ...anthropicOptions(), apiKey: 'wrong-key' });
    expect(await failureOf(stranger.messages.create(message('hi')))).toMatchObject({
      kind: 'AuthenticationError',
    });
    expect(await failureOf(anthropic.messages.create(message('hi', { model: 'other' })))).toMatchObject({
      kind: 'NotFoundError',
    });
    expect(await failureOf(anthropic.messages.create(message('hi', { temperature: 0.5 })))).toMatchObject({
      kind: 'BadRequestError',
      message: expect.stringContaining('temperature'),
    });
  });

  it('retries by itself until the script lets it through', async () => {
    const patient = peers.anthropic({ ...anthropicOptions(), maxRetries: 2 });
    const reply = await patient.messages.create(
      message('[[error 529 retry-after-ms=1 times=2]] [[say Finally.]]'),
    );
    expect(textOf(reply)).toBe('Finally.');
    expect(simulator.requests.map(({ status, attempt }) => [status, attempt])).toEqual([
      [529, 1],
      [529, 2],
      [200, 3],
    ]);
  });

  it('fails on a stream that is cut, on one that carries an error, and on a broken body', async () => {
    const streamed = (text: string) => anthropic.messages.stream(message(text)).finalMessage();
    expect(await failureOf(streamed('[[cut after=3]] [[say Hello there.]]'))).toMatchObject({
      message: 'terminated',
    });
    expect(await failureOf(streamed('[[error 529 after=3]] [[say Hello there.]]'))).toMatchObject({
      message: expect.stringContaining('overloaded_error'),
    });
    expect(await failureOf(streamed('[[malformed]] [[say Hello there.]]'))).toMatchObject({
      message: expect.stringContaining('JSON'),
    });
    expect(await failureOf(anthropic.messages.create(message('[[malformed]]')))).toMatchObject({
      kind: 'SyntaxError',
    });
  });

  it('times out on a hanging answer', async () => {
    const hasty = peers.anthropic({ ...anthropicOptions(), timeout: 100 });
    expect(await failureOf(hasty.messages.create(message('[[hang]]')))).toMatchObject({
      kind: 'APIConnectionTimeoutError',
    });
  });

  it('is told what was written to the cache and what was read from it, by its breakpoints', async () => {
    const system = [{ type: 'text', text: 'x'.repeat(5000), cache_control: { type: 'ephemeral' } }];
    expect(await anthropic.messages.create(message('one', { system }))).toMatchObject({
      usage: { input_tokens: 11, cache_creation_input_tokens: 1257, cache_read_input_tokens: 0 },
    });
    expect(await anthropic.messages.create(message('other', { system }))).toMatchObject({
      usage: { input_tokens: 11, cache_creation_input_tokens: 0, cache_read_input_tokens: 1257 },
    });
  });

  it('sends the classic headers when it is told to', async () => {
    const classic = peers.anthropic({
      ...anthropicOptions(),
      defaultHeaders: { authorization: '', 'x-api-key': 'right-key', 'anthropic-version': '2023-06-01' },
    });
    const reply = await classic.messages.create(message('[[say Hello.]]', { temperature: 0.5 }));
    expect(textOf(reply)).toBe('Hello.');
    expect(simulator.requests).toMatchObject([{ auth: 'x-api-key' }]);
  });
});

function contentOf(reply: unknown): string {
  const { choices } = reply as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? '';
}

function textOf(reply: unknown): string {
  const { content } = reply as { content: { type: string; text: string }[] };
  return content.map(({ text }) => text).join('');
}

describe('the simulator', () => {
  const bodies = (text: string) => [
    { path: '/v1/chat/completions', body: chat(text, { tools: openaiTools }) },
    { path: '/v1/chat/completions', body: chat(text, { tools: openaiTools, stream: true }) },
    { path: '/v1/messages', body: message(text, { tools: anthropicTools }) },
    { path: '/v1/messages', body: message(text, { tools: anthropicTools, stream: true }) },
  ];

  it('answers the same requests with the same bytes, from another simulator as well as after a reset', async () => {
    verifies('simulator.formats');
    const texts = ['[[calls get_ticket, get_ticket]]', 'show ticket 4', '[[error 500]]', '[[thinking Hm.]]'];
    const answersOf = async ({ url }: Simulator) => {
      const answers: unknown[] = [];
      for (const { path, body } of texts.flatMap(bodies)) {
        const response = await fetch(url + path, {
          method: 'POST',
          headers: { authorization: 'Bearer right-key', 'anthropic-version': '2023-06-01' },
          body: JSON.stringify(body),
        });
        answers.push([
          response.status,
          response.headers.get('request-id') ?? response.headers.get('x-request-id'),
          await response.text(),
        ]);
      }
      return answers;
    };
    const other = await startSimulator();
    const first = await answersOf(other);
    other.reset();
    expect(await answersOf(other)).toEqual(first);
    await other.close();
    expect(await answersOf(simulator)).toEqual(first);
    expect(new Set(first.map((answer) => JSON.stringify(answer))).size).toBe(first.length);
  });

  it.each(schemas)('makes a valid instance of %j', async (schema) => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const reply = await openai.chat.completions.create(
      chat('ticket 41 of "Ann" is urgent', {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      }),
    );
    const validate = ajv.compile(schema);
    validate(JSON.parse(contentOf(reply)));
    expect(validate.errors).toBeNull();
  });
});
