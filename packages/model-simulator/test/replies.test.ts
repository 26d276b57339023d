import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../src/index.ts';
import { type Asked, anthropicTools, chat, getTicket, message, openaiTools, png, textOf } from './ask.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});

afterAll(() => simulator.close());

const desk = { name: 'transfer_to_desk', description: 'Hands over to the support desk.' };

/** The calls of a reply in either format. */
const callsOf = ({ json }: Asked): unknown[] =>
  Array.isArray(json.content)
    ? json.content
        .filter(({ type }: { type: string }) => type === 'tool_use')
        .map(({ name, input }: { name: string; input: unknown }) => [name, input])
    : (json.choices[0].message.tool_calls ?? []).map(
        ({ function: { name, arguments: text } }: { function: { name: string; arguments: string } }) => [
          name,
          JSON.parse(text),
        ],
      );

const doors = [
  {
    door: 'openai',
    send: (text: unknown, more: object = {}, tools = [getTicket, desk]) =>
      chat(simulator, text, { tools: openaiTools(...tools), ...more }),
    forced: { tool_choice: { type: 'function', function: { name: 'get_ticket' } } },
    any: { tool_choice: 'required' },
    none: { tool_choice: 'none' },
    single: { parallel_tool_calls: false },
    schema: (schema: object) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    }),
  },
  {
    door: 'anthropic',
    send: (text: unknown, more: object = {}, tools = [getTicket, desk]) =>
      message(simulator, text, { tools: anthropicTools(...tools), ...more }),
    forced: { tool_choice: { type: 'tool', name: 'get_ticket' } },
    any: { tool_choice: { type: 'any' } },
    none: { tool_choice: { type: 'none' } },
    single: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    schema: (schema: object) => ({ output_config: { format: { type: 'json_schema', schema } } }),
  },
];

describe.each(doors)('a script over $door', ({ send, forced, any, none, single, schema }) => {
  it('says, calls, and does both in one turn', async () => {
    const both = await send('[[say I look.]] & [[calls get_ticket {"id":4}, get_ticket {"id":5}]]');
    expect([textOf(both), callsOf(both)]).toEqual([
      'I look.',
      [
        ['get_ticket', { id: 4 }],
        ['get_ticket', { id: 5 }],
      ],
    ]);
  });

  it('calls tools that nobody offered', async () => {
    expect(callsOf(await send('[[call no_such_tool]]'))).toEqual([['no_such_tool', {}]]);
  });

  it('hands over', async () => {
    expect(callsOf(await send('[[handoff desk it is a ticket]]'))).toEqual([
      ['transfer_to_desk', { reason: 'it is a ticket' }],
    ]);
  });

  it('calls nothing when calls are not allowed', async () => {
    expect(callsOf(await send('[[call get_ticket {"id":4}]]', none))).toEqual([]);
  });

  it('calls once when the client wants one call at most', async () => {
    expect(callsOf(await send('[[calls get_ticket {"id":4}, get_ticket {"id":5}]]', single))).toEqual([
      ['get_ticket', { id: 4 }],
    ]);
  });

  it('calls the tool that it must, with the JSON that the script has', async () => {
    expect(callsOf(await send('[[say No.]]', forced))).toEqual([['get_ticket', { id: 1 }]]);
    expect(callsOf(await send('[[json {"id":77}]]', forced))).toEqual([['get_ticket', { id: 77 }]]);
    expect(callsOf(await send('[[call transfer_to_desk]]', forced))).toEqual([['get_ticket', { id: 1 }]]);
    expect(callsOf(await send('[[call transfer_to_desk]]', any))).toEqual([['transfer_to_desk', {}]]);
    expect(callsOf(await send('number 8', any))).toEqual([['get_ticket', { id: 8 }]]);
  });

  it('does not call what it must with the quirk of servers that ignore the choice', async () => {
    expect(textOf(await send('[[quirk ignore_tool_choice]] [[say No.]]', forced))).toBe('No.');
    expect(callsOf(await send('[[quirk ignore_tool_choice]] hello', forced))).toEqual([]);
  });

  it('answers JSON, in a fence for servers with that quirk', async () => {
    const closed = { type: 'object', properties: {}, additionalProperties: false };
    expect(textOf(await send('[[json {"a": [1]}]]', schema(closed)))).toBe('{"a":[1]}');
    expect(textOf(await send('[[quirk fenced_json]] [[json {"a": [1]}]]', schema(closed)))).toBe(
      '```json\n{"a":[1]}\n```',
    );
    expect(textOf(await send('hello', schema(closed)))).toBe('{}');
    expect(textOf(await send('[[quirk ignore_response_format]] hello', schema(closed)))).toContain(
      'scripted model',
    );
  });

  it('writes calls as text for servers with that quirk', async () => {
    const asked = await send('[[quirk text_calls]] [[call get_ticket {"id":4}]]');
    expect([textOf(asked), callsOf(asked)]).toEqual(['{"name":"get_ticket","arguments":{"id":4}}', []]);
  });

  it('echoes what it was given', async () => {
    const all = JSON.parse(textOf(await send('[[echo]] hello', { temperature: 1 })));
    expect(all).toMatchObject({
      tools: ['get_ticket', 'transfer_to_desk'],
      messages: [{ role: 'user', text: '[[echo]] hello', images: [] }],
      results: [],
      parameters: { temperature: 1 },
    });
    expect(textOf(await send('[[echo tools]]'))).toBe('["get_ticket","transfer_to_desk"]');
    expect(Object.keys(JSON.parse(textOf(await send('[[echo parameters]]'))))).toContain('model');
  });

  it('makes a reply of any size', async () => {
    expect(textOf(await send('[[size 100001]]', { max_tokens: 100_000 }))).toHaveLength(100_001);
    expect(textOf(await send('[[size 0]] & [[say x]]'))).toBe('x');
  });

  it('ends with the last token that it has, between two characters', async () => {
    const cut = await send('[[say ääää]]', { max_tokens: 1 });
    expect(textOf(cut)).toBe('ää');
    expect(textOf(await send('[[say xäää]]', { max_tokens: 1 }))).toBe('xä');
    const stop = cut.json.stop_reason ?? cut.json.choices[0].finish_reason;
    expect(['max_tokens', 'length']).toContain(stop);
    expect(textOf(await send('[[say ääää]]', { max_tokens: 2 }))).toBe('ääää');
    const calls = '[[calls get_ticket {"id":4}, get_ticket {"id":5}]]';
    expect(callsOf(await send(calls, { max_tokens: 9 }))).toHaveLength(1);
    expect(callsOf(await send(calls, { max_tokens: 10 }))).toHaveLength(2);
  });

  it('can end as if it had none, with a text of its own', async () => {
    const asked = await send('[[stop length]] hello');
    expect(['max_tokens', 'length']).toContain(asked.json.stop_reason ?? asked.json.choices[0].finish_reason);
    expect(textOf(asked)).toContain('hello');
  });
});

describe('images', () => {
  it('are seen in messages and in results, in both formats', async () => {
    const url = { url: `data:image/png;base64,${png}` };
    const seen = '1 image: image/png 70 bytes sha256:';
    expect(
      textOf(
        await chat(simulator, [
          { type: 'text', text: '[[images]]' },
          { type: 'image_url', image_url: url },
        ]),
      ),
    ).toContain(seen);
    const source = { type: 'base64', media_type: 'image/png', data: png };
    const use = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'image', source }] };
    const messages = [
      { role: 'user', content: '[[call look]] [[images]]' },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [result, { type: 'image', source }] },
    ];
    expect(textOf(await message(simulator, '', { messages }))).toMatch(/^2 images: image\/png 70 bytes/);
    expect(textOf(await chat(simulator, '[[images]]'))).toBe('no images');
  });

  it('count 1000 tokens each, whatever their size', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: png };
    const without = await message(simulator, [{ type: 'text', text: 'hi' }]);
    const one = await message(simulator, [
      { type: 'text', text: 'hi' },
      { type: 'image', source },
    ]);
    const added = one.json.usage.input_tokens - without.json.usage.input_tokens;
    expect(added).toBeGreaterThanOrEqual(1000);
    expect(added).toBeLessThan(1020);
  });
});
