import type { ModelReply, ModelRequest } from '@waymark/contract/models';
import { verifies } from '@waymark/contract/testing';
import type { Quirk } from '@waymark/model-simulator';
import { describe, expect, it } from 'vitest';
import { callsOf, type Desk, formats, openDesk, png, result, textOf, tools, user } from './desk.ts';

/** What a server does otherwise, and the question that must work all the same. */
interface Case {
  readonly name: string;
  readonly quirks: readonly Quirk[];
  readonly script?: string;
  readonly ask: (ask: Desk['ask'], base: Partial<ModelRequest>, script: string) => Promise<void>;
}

const answer = {
  type: 'object',
  properties: { mood: { type: 'string', enum: ['good', 'bad'] } },
  required: ['mood'],
  additionalProperties: false,
};

const twoCalls =
  '[[say On it: é😀]] & [[call get_ticket {"id": 1}]] & [[call add_note {"text": "näh"}]] [[echo results]]';

/** Two calls, their results, and what the model says of them. */
const callTools: Case['ask'] = async (ask, base, script) => {
  const first = await ask({ ...base, tools, text: `${script} ${twoCalls}` });
  const calls = callsOf(first);
  expect(first.stop).toBe('tool_calls');
  expect(calls.map((call) => [call.name, call.arguments])).toEqual([
    ['get_ticket', { id: 1 }],
    ['add_note', { text: 'näh' }],
  ]);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  const results = calls.map(({ id, name }) => result(id, `done ${name}`));
  const second = await ask({
    ...base,
    tools,
    messages: [user(`${script} ${twoCalls}`), first.message, { role: 'user', parts: results }],
  });
  expect(second.stop).toBe('end');
  expect(JSON.parse(textOf(second))).toMatchObject([
    { id: calls[0]?.id, text: 'done get_ticket' },
    { id: calls[1]?.id, text: 'done add_note' },
  ]);
};

const forceTool: Case['ask'] = async (ask, base, script) => {
  const reply = await ask({ ...base, tools, toolChoice: { tool: 'get_ticket' }, text: script });
  expect(reply.stop).toBe('tool_calls');
  expect(callsOf(reply)).toMatchObject([{ name: 'get_ticket', arguments: { id: 7 } }]);
};

const askSchema: Case['ask'] = async (ask, base, script) => {
  const reply = await ask({ ...base, schema: answer, text: script });
  expect(reply).toMatchObject({ stop: 'end', value: { mood: 'good' } });
  expect(reply.message.parts.every(({ type }) => type === 'text')).toBe(true);
};

const sayHello: Case['ask'] = async (ask, base, script) => {
  const reply = await ask({ ...base, temperature: 0.5, text: `${script} [[say hello]]` });
  expect([reply.stop, textOf(reply)]).toEqual(['end', 'hello']);
};

const seeImages: Case['ask'] = async (ask, base, script) => {
  const call = { type: 'tool_call', id: 'c1', name: 'get_ticket', arguments: { id: 1 } } as const;
  const reply = await ask({
    ...base,
    tools,
    messages: [
      user(`${script} [[say x]] [[images]]`),
      { role: 'assistant', parts: [call] },
      { role: 'user', parts: [result('c1', 'a picture', png)] },
    ],
  });
  expect(textOf(reply)).toMatch(/^1 image: image\/png 70 bytes/);
};

const isEstimated: Case['ask'] = async (ask, base, script) => {
  const reply: ModelReply = await ask({ ...base, text: `${script} [[size 400]]` });
  expect(reply.spend).toMatchObject([{ estimated: true, outputTokens: 100 }]);
  expect(reply.spend[0]?.inputTokens).toBeGreaterThan(5);
};

const cases: readonly Case[] = [
  {
    name: 'says it stopped for another reason than its calls',
    quirks: ['finish_reason_stop'],
    ask: callTools,
  },
  { name: 'counts no calls', quirks: ['no_index'], ask: callTools },
  { name: 'counts every call as the first', quirks: ['index_zero'], ask: callTools },
  { name: 'sends arguments as an object', quirks: ['object_arguments'], ask: callTools },
  { name: 'sends calls in one piece', quirks: ['whole_calls'], ask: callTools },
  { name: 'gives calls no id', quirks: ['missing_ids'], ask: callTools },
  { name: 'gives all calls one id', quirks: ['duplicate_ids'], ask: callTools },
  {
    name: 'gives whole calls neither id nor index',
    quirks: ['missing_ids', 'no_index', 'whole_calls'],
    ask: callTools,
  },
  {
    name: 'gives whole calls one id and one index',
    quirks: ['duplicate_ids', 'index_zero', 'whole_calls'],
    ask: callTools,
  },
  { name: 'sends an empty text with calls', quirks: ['empty_content'], ask: callTools },
  { name: 'forgets the last event', quirks: ['no_done'], ask: callTools },
  {
    name: 'ends lines otherwise, comments, and tears characters',
    quirks: ['crlf', 'comments', 'split_bytes'],
    ask: callTools,
  },
  { name: 'refuses unknown fields', quirks: ['refuse_unknown_fields'], ask: callTools },
  {
    name: 'refuses to be told which tool',
    quirks: ['refuse_tool_choice_object'],
    script: '[[call get_ticket {"id": 7}]]',
    ask: forceTool,
  },
  {
    name: 'ignores which tool it must call, and writes the call as text',
    quirks: ['ignore_tool_choice', 'text_calls'],
    script: '[[call get_ticket {"id": 7}]]',
    ask: forceTool,
  },
  {
    name: 'ignores which tool it must call, and is asked again',
    quirks: ['ignore_tool_choice'],
    script: '[[say No.]] [[call get_ticket {"id": 7}]]',
    ask: forceTool,
  },
  {
    name: 'refuses response formats',
    quirks: ['refuse_response_format'],
    script: '[[json {"mood": "good"}]]',
    ask: askSchema,
  },
  {
    name: 'refuses response formats and tools by name',
    quirks: ['refuse_response_format', 'refuse_tool_choice_object'],
    script: '[[json {"mood": "good"}]]',
    ask: askSchema,
  },
  {
    name: 'refuses response formats and ignores tool choices',
    quirks: ['refuse_response_format', 'ignore_tool_choice'],
    script: '[[json {"mood": "good"}]]',
    ask: askSchema,
  },
  {
    name: 'ignores response formats, and is asked again',
    quirks: ['ignore_response_format'],
    script: '[[say I feel good.]] [[json {"mood": "good"}]]',
    ask: askSchema,
  },
  {
    name: 'puts JSON in a fence',
    quirks: ['fenced_json'],
    script: '[[json {"mood": "good"}]]',
    ask: askSchema,
  },
  { name: 'refuses images in results', quirks: ['refuse_tool_images'], ask: seeImages },
  { name: 'refuses images behind URLs', quirks: ['refuse_image_urls'], ask: seeImages },
  { name: 'counts no tokens', quirks: ['no_usage'], ask: isEstimated },
  { name: 'says null for its count of tokens', quirks: [], script: '[[usage null]]', ask: isEstimated },
  { name: 'refuses a temperature', quirks: ['refuse_temperature'], ask: sayHello },
  { name: 'refuses max_completion_tokens', quirks: ['refuse_max_completion_tokens'], ask: sayHello },
  { name: 'refuses max_tokens', quirks: ['refuse_max_tokens'], ask: sayHello },
  { name: 'counts tokens in the event that ends', quirks: ['usage_with_finish'], ask: sayHello },
];

for (const format of formats)
  for (const maxTokens of [1000, 16000])
    describe(`${format}, ${maxTokens > 8192 ? 'streamed' : 'whole'}, of a server that`, () => {
      it.each(cases)('$name', async ({ quirks, script = '', ask }) => {
        verifies('model.format.openai', 'model.format.anthropic');
        const desk = await openDesk({ simulator: { quirks } });
        await ask(desk.ask, { model: `${format}/m`, maxTokens }, script);
        const last = desk.simulator.requests.at(-1)?.body as { readonly stream?: boolean };
        expect(last.stream === true).toBe(maxTokens > 8192);
      });
    });
