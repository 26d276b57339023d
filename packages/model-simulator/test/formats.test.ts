import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../src/index.ts';
import { anthropicTools, chat, getTicket, message, openaiTools } from './ask.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

describe('a chat completion', () => {
  it('has the members of the service', async () => {
    const asked = await chat(simulator, '[[say Hello.]]');
    expect(asked.headers.get('content-type')).toBe('application/json');
    expect(asked.json).toEqual({
      id: expect.stringMatching(/^chatcmpl-[a-zA-Z0-9]{29}$/),
      object: 'chat.completion',
      created: 1_767_225_600,
      model: 'gpt-4o',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello.', refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 11,
        completion_tokens: 2,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      service_tier: 'default',
      system_fingerprint: 'fp_simulator',
    });
  });

  it('is streamed chunk by chunk, the call with its id first, usage and [DONE] last', async () => {
    const { events, headers } = await chat(
      simulator,
      '[[say I look it up.]] & [[call get_ticket {"id":4}]]',
      {
        tools: openaiTools(getTicket),
        stream: true,
        stream_options: { include_usage: true },
      },
    );
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const choices = events.map(({ data }) => data.choices?.[0]);
    expect(choices.map((choice) => choice?.delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'I look it up' },
      { content: '.' },
      {
        tool_calls: [
          {
            index: 0,
            id: expect.stringMatching(/^call_[a-zA-Z0-9]{24}$/),
            type: 'function',
            function: { name: 'get_ticket', arguments: '' },
          },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"id":4}' } }] },
      {},
      undefined,
      undefined,
    ]);
    expect(choices.map((choice) => choice?.finish_reason ?? null)).toEqual([
      ...[null, null, null, null, null],
      'tool_calls',
      null,
      null,
    ]);
    expect(events.at(-2)?.data).toMatchObject({ choices: [], usage: { completion_tokens: 9 } });
    expect(events.at(-1)?.data).toBe('[DONE]');
    expect(new Set(events.slice(0, -1).map(({ data }) => data.id)).size).toBe(1);
  });

  it('has no content beside calls, and a refusal instead of one', async () => {
    const call = await chat(simulator, '[[call get_ticket]]', { tools: openaiTools(getTicket) });
    expect(call.json.choices[0].message.content).toBeNull();
    const refusal = await chat(simulator, '[[refuse No.]]');
    expect(refusal.json.choices[0]).toMatchObject({
      message: { content: null, refusal: 'No.' },
      finish_reason: 'stop',
    });
    const streamed = await chat(simulator, '[[refuse No.]]', { stream: true });
    expect(streamed.events.map(({ data }) => data.choices?.[0]?.delta.refusal)).toContain('No.');
  });

  it('carries what some servers add: thoughts, and members that nobody knows', async () => {
    const text = '[[thinking Hm.]] & [[block {"x_trace":7}]] & [[say Yes.]]';
    expect((await chat(simulator, text)).json.choices[0].message).toMatchObject({
      content: 'Yes.',
      reasoning_content: 'Hm.',
      x_trace: 7,
    });
    const deltas = (await chat(simulator, text, { stream: true })).events.map(
      ({ data }) => data.choices?.[0]?.delta,
    );
    expect(deltas).toContainEqual({ reasoning_content: 'Hm.' });
    expect(deltas).toContainEqual({ x_trace: 7 });
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['context_window', 'length'],
  ])('can stop for %s', async (cause, reason) => {
    const asked = await chat(simulator, `[[say Hm]] & [[stop ${cause}]]`);
    expect(asked.json.choices[0].finish_reason).toBe(reason);
  });

  it('stops before a stop sequence', async () => {
    const asked = await chat(simulator, '[[say one two three]]', { stop: ['three', 'two'] });
    expect(asked.json.choices[0]).toMatchObject({ message: { content: 'one ' }, finish_reason: 'stop' });
  });
});

describe('a message', () => {
  it('has the members of the service', async () => {
    expect((await message(simulator, '[[say Hello.]]')).json).toEqual({
      id: expect.stringMatching(/^msg_01[a-zA-Z0-9]{22}$/),
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5',
      content: [{ type: 'text', text: 'Hello.', citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 14,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 2,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: 'standard',
        inference_geo: null,
        speed: null,
      },
    });
  });

  it('is streamed event by event', async () => {
    const text =
      '[[thinking Hm.]] & [[block {"type":"x_new","n":1}]] & [[say I look it up.]] & [[call get_ticket {"id":4}]]';
    const { events } = await message(simulator, text, { tools: anthropicTools(getTicket), stream: true });
    expect(events.map(({ name, data }) => (name === data.type ? data : name))).toEqual([
      {
        type: 'message_start',
        message: expect.objectContaining({
          content: [],
          stop_reason: null,
          usage: expect.objectContaining({ input_tokens: 81, output_tokens: 1 }),
        }),
      },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      { type: 'ping' },
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      delta(0, { type: 'signature_delta', signature: expect.stringMatching(/^.{44}$/) }),
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'x_new', n: 1 } },
      { type: 'content_block_stop', index: 1 },
      { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '', citations: null } },
      delta(2, { type: 'text_delta', text: 'I look it up' }),
      delta(2, { type: 'text_delta', text: '.' }),
      { type: 'content_block_stop', index: 2 },
      {
        type: 'content_block_start',
        index: 3,
        content_block: {
          type: 'tool_use',
          id: expect.stringMatching(/^toolu_01[a-zA-Z0-9]{22}$/),
          name: 'get_ticket',
          input: {},
          caller: { type: 'direct' },
        },
      },
      delta(3, { type: 'input_json_delta', partial_json: '' }),
      delta(3, { type: 'input_json_delta', partial_json: '{"id":4}' }),
      { type: 'content_block_stop', index: 3 },
      {
        type: 'message_delta',
        delta: { container: null, stop_reason: 'tool_use', stop_sequence: null, stop_details: null },
        usage: expect.objectContaining({ output_tokens: 10, output_tokens_details: { thinking_tokens: 1 } }),
      },
      { type: 'message_stop' },
    ]);
  });

  it.each([
    ['[[pause]]', 'pause_turn'],
    ['[[say Hm]] & [[stop length]]', 'max_tokens'],
    ['[[say Hm]] & [[stop content_filter]]', 'refusal'],
    ['[[say Hm]] & [[stop context_window]]', 'model_context_window_exceeded'],
  ])('can stop: %s', async (text, reason) => {
    expect((await message(simulator, text)).json.stop_reason).toBe(reason);
  });

  it('can be a refusal without content', async () => {
    expect((await message(simulator, '[[refuse No.]]')).json).toMatchObject({
      content: [],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'No.' },
    });
    const { events } = await message(simulator, '[[refuse No.]]', { stream: true });
    expect(events.map(({ name }) => name)).toEqual([
      'message_start',
      'ping',
      'message_delta',
      'message_stop',
    ]);
  });

  it('names the stop sequence before which it stopped', async () => {
    const asked = await message(simulator, '[[say one two three]]', { stop_sequences: ['three', 'two'] });
    expect(asked.json).toMatchObject({
      content: [{ text: 'one ' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'two',
    });
  });

  it('goes on with the next step after a pause that was sent back', async () => {
    const content = '[[pause]] [[say Done.]]';
    const paused = (await message(simulator, content)).json.content;
    const messages = [
      { role: 'user', content },
      { role: 'assistant', content: paused },
    ];
    expect((await message(simulator, '', { messages })).json.content[0].text).toBe('Done.');
  });
});

describe('pieces of a stream', () => {
  it('never tear a character apart', async () => {
    const { events } = await chat(simulator, `[[say x${'😀'.repeat(50)}]]`, { stream: true });
    const pieces = events.map(({ data }) => data.choices?.[0]?.delta.content).filter((piece) => piece);
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join('')).toBe(`x${'😀'.repeat(50)}`);
  });
});

function delta(index: number, value: object) {
  return { type: 'content_block_delta', index, delta: value };
}
