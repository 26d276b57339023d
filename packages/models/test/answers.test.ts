import { Type } from '@waymark/contract';
import type { ModelError } from '@waymark/contract/models';
import { describe, expect, it } from 'vitest';
import { readJson } from '../src/answers/read-json.ts';
import { closeSchema } from '../src/anthropic/close-schema.ts';
import { callsOf, formats, openDesk, textOf, tools } from './desk.ts';

const Mood = Type.Object({ mood: Type.String({ enum: ['good', 'bad'] }), why: Type.Optional(Type.String()) });

describe.each(formats)('%s, an answer of a schema', (format) => {
  const model = `${format}/m`;

  it('is asked of the provider itself, and checked', async () => {
    const desk = await openDesk();
    const reply = await desk.ask({ model, schema: Mood, text: '[[json {"mood": "good"}]]' });
    expect(reply).toMatchObject({ value: { mood: 'good' }, stop: 'end' });
    expect(desk.simulator.requests).toHaveLength(1);
    const body = desk.simulator.requests[0]?.body as Readonly<Record<string, unknown>>;
    expect(body[format === 'openai' ? 'response_format' : 'output_config']).toBeDefined();
    expect(body).not.toHaveProperty('tools');
  });

  it.each([
    ['a list', Type.Array(Type.Integer()), [1, 2]],
    ['a text', Type.String(), 'so'],
    ['one of two', Type.Union([Type.Literal('a'), Type.Object({ b: Type.Integer() })]), { b: 1 }],
    ['anything with references', { anyOf: [{ $ref: '#/$defs/N' }], $defs: { N: { type: 'integer' } } }, 3],
  ])('may be %s, which travels inside of an object', async (_name, schema, value) => {
    const desk = await openDesk();
    const reply = await desk.ask({ model, schema, text: `[[json ${JSON.stringify({ value })}]]` });
    expect(reply.value).toEqual(value);
  });

  it('that is none is asked for once more with what is wrong, and then fails', async () => {
    const desk = await openDesk();
    const reply = await desk.ask({
      model,
      schema: Mood,
      text: '[[json {"mood": "grim"}]] [[json {"mood": "bad"}]]',
    });
    expect(reply.value).toEqual({ mood: 'bad' });
    expect(reply.spend).toHaveLength(2);
    expect(JSON.stringify(desk.simulator.requests[1]?.body)).toContain(
      'That is not what was asked for: /mood',
    );
    const error = await desk
      .ask({ model, schema: Mood, text: '[[json 1]] [[json 2]] [[json 3]]' })
      .catch((thrown: ModelError) => thrown);
    expect(error).toMatchObject({ reason: 'no_valid_answer', status: 502, spend: [{}, {}] });
    expect((error as ModelError).message).toMatch(`provider "${format}" gave no valid answer: `);
    expect(desk.simulator.requests).toHaveLength(4);
  });

  it('that nothing can keep to, since it is wrong itself, fails', async () => {
    const desk = await openDesk();
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } };
    await expect(desk.ask({ model, schema, text: '[[json {"a": "x"}]] [[repeat]]' })).rejects.toMatchObject({
      reason: 'no_valid_answer',
      spend: [{}, {}],
    });
  });

  it('in words is the answer as it is, though it have a member of the name value', async () => {
    const desk = await openDesk({ simulator: { quirks: ['refuse_response_format'] } });
    const schema = { anyOf: [{ type: 'integer' }, { type: 'object' }] };
    const reply = await desk.ask({ model, schema, tools, text: '[[json {"value": 7}]]' });
    expect(reply.value).toEqual({ value: 7 });
  });

  it('that is none is told of in a few words', async () => {
    const desk = await openDesk();
    const schema = { type: 'object', additionalProperties: { type: 'integer' } };
    const text = `[[json {"${'k'.repeat(5000)}": "x"}]] [[repeat]]`;
    const asked = desk.ask({ model, schema, text, maxTokens: 8000 });
    const error = await asked.catch((thrown: ModelError) => thrown);
    expect((error as ModelError).message.length).toBeLessThan(600);
  });

  it('is not there when the model stopped for another reason', async () => {
    const desk = await openDesk();
    const refused = await desk.ask({ model, schema: Mood, text: '[[refuse]]' });
    expect([refused.stop, 'value' in refused]).toEqual(['refusal', false]);
    const short = await desk.ask({ model, schema: Mood, maxTokens: 2, text: '[[json {"mood": "good"}]]' });
    expect([short.stop, 'value' in short]).toEqual(['max_tokens', false]);
    expect(desk.simulator.requests).toHaveLength(2);
  });

  it('waits while the model calls tools', async () => {
    const desk = await openDesk();
    const reply = await desk.ask({ model, schema: Mood, tools, text: '[[call get_ticket {"id": 1}]]' });
    expect([reply.stop, 'value' in reply]).toEqual(['tool_calls', false]);
  });

  it('beside tools is asked for in words where the provider refuses schemas', async () => {
    const desk = await openDesk({ simulator: { quirks: ['refuse_response_format'] } });
    const reply = await desk.ask({ model, schema: Mood, tools, text: '[[json {"mood": "good"}]]' });
    expect(reply.value).toEqual({ mood: 'good' });
    expect(JSON.stringify(desk.simulator.requests.at(-1)?.body)).toContain(
      'Answer with JSON alone, of this schema:',
    );
  });

  it('is not tried in a way that a model was found to refuse', async () => {
    const desk = await openDesk({ simulator: { quirks: ['refuse_response_format'] } });
    const ask = () => desk.ask({ model, schema: Mood, text: '[[json {"mood": "good"}]]' });
    await ask();
    await ask();
    expect(desk.simulator.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
    await desk.ask({ model: `${format}/other`, schema: Mood, text: '[[json {"mood": "good"}]]' });
    expect(desk.simulator.requests.slice(3).map(({ status }) => status)).toEqual([400, 200]);
  });

  it('that a model cannot follow is asked for in another way, and other schemas are not', async () => {
    const refuse = '[[error 400 message="Invalid schema for response_format: unsupported keyword"]]';
    const isNative = (body: object) => 'response_format' in body || 'output_config' in body;
    const desk = await openDesk({
      simulator: {
        script: ({ body, turns }) =>
          isNative(body) && JSON.stringify(turns).includes('odd') ? refuse : undefined,
      },
    });
    const odd = await desk.ask({ model, schema: Mood, text: 'odd [[json {"mood": "good"}]]' });
    expect(odd.value).toEqual({ mood: 'good' });
    await desk.ask({ model, schema: Mood, text: '[[json {"mood": "good"}]]' });
    expect(desk.simulator.requests.map(({ status, body }) => [status, isNative(body as object)])).toEqual([
      [400, true],
      [200, false],
      [200, true],
    ]);
  });

  it('is told to nobody before it is checked', async () => {
    const desk = await openDesk();
    const told: string[] = [];
    const text = '[[json {"mood": "grim"}]] [[json {"mood": "bad"}]]';
    const reply = await desk.ask({ model, schema: Mood, text }, { onDelta: (piece) => told.push(piece) });
    expect([reply.value, told]).toEqual([{ mood: 'bad' }, []]);
  });
});

describe('an open schema', () => {
  it('is asked of anthropic by a tool, since the provider would close it', async () => {
    const desk = await openDesk();
    const schema = Type.Record(Type.String(), Type.Integer());
    const open = { type: 'object', additionalProperties: { type: 'integer' } };
    for (const one of [schema, open]) {
      const reply = await desk.ask({ schema: one, text: '[[json {"a": 1}]]' });
      expect(reply).toMatchObject({ stop: 'end', value: { a: 1 } });
      expect(textOf(reply)).toBe('{"a":1}');
    }
    expect(desk.simulator.requests.at(-1)?.body).toMatchObject({
      tool_choice: { type: 'tool', name: 'answer' },
    });
  });

  it('is closed nowhere, and any other everywhere', () => {
    expect(
      closeSchema({ type: 'object', properties: { a: { type: 'object', additionalProperties: true } } }),
    ).toBeUndefined();
    expect(
      closeSchema({ type: 'array', items: { anyOf: [{ properties: {} }, { type: 'string' }] } }),
    ).toEqual({
      type: 'array',
      items: { anyOf: [{ properties: {}, additionalProperties: false }, { type: 'string' }] },
    });
    const both = { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] };
    expect(closeSchema({ type: 'object', properties: { both } })).toBeUndefined();
    expect(closeSchema({ $defs: { type: { type: 'object' } }, enum: [{ type: 'object' }] })).toEqual({
      $defs: { type: { type: 'object', additionalProperties: false } },
      enum: [{ type: 'object' }],
    });
  });
});

describe.each(formats)('%s, a tool choice', (format) => {
  const model = `${format}/m`;

  it.each([
    ['auto', '[[say hi]]', []],
    ['none', '[[call get_ticket {"id": 1}]] & [[say hi]]', []],
    ['required', '[[auto]] ticket 5', ['get_ticket']],
    [{ tool: 'add_note' }, '[[auto]] ticket 5', ['add_note']],
  ] as const)('%j', async (toolChoice, text, names) => {
    const desk = await openDesk();
    const reply = await desk.ask({ model, tools, toolChoice, text });
    expect(callsOf(reply).map(({ name }) => name)).toEqual(names);
    expect(reply.stop).toBe(names.length > 0 ? 'tool_calls' : 'end');
    expect(desk.simulator.requests).toHaveLength(1);
  });

  it('that a server ignores fails after one more question', async () => {
    const desk = await openDesk({ simulator: { quirks: ['ignore_tool_choice'] } });
    const text = '[[say no]] [[say no!]]';
    const error = await desk
      .ask({ model, tools, toolChoice: 'required', text })
      .catch((thrown: ModelError) => thrown);
    expect(error).toMatchObject({
      reason: 'no_valid_answer',
      message: `provider "${format}" gave no valid answer: it does not call one of the tools`,
      spend: [{}, {}],
    });
  });

  it('of none holds although a server ignores it', async () => {
    const desk = await openDesk({ simulator: { quirks: ['ignore_tool_choice'] } });
    const said = await desk.ask({
      model,
      tools,
      toolChoice: 'none',
      text: '[[say hi]] & [[call add_note {"text": "x"}]]',
    });
    expect([said.stop, textOf(said), callsOf(said)]).toEqual(['end', 'hi', []]);
    const silent = await desk
      .ask({ model, tools, toolChoice: 'none', text: '[[call add_note {"text": "x"}]]' })
      .catch((thrown: ModelError) => thrown);
    expect(silent.spend).toHaveLength(2);
  });
});

describe('readJson', () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    [' "so" ', 'so'],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['Here:\n```\n[1]\n```\nfine?', [1]],
    ['```json\n{"a": 1}\n``` as said in [2]', { a: 1 }],
    ['It is {"a": {"b": 2}}, I think.', { a: { b: 2 } }],
    ['nothing', undefined],
    ['} {', undefined],
    ['{"a": ', undefined],
  ])('%j: %j', (text, value) => {
    expect(readJson(text)).toEqual(value);
  });

  it('gives up on a fence that does not end in little time', () => {
    const startedMs = performance.now();
    expect(readJson('```'.concat('\n'.repeat(200_000)))).toBeUndefined();
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });
});
