import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/engine/json.ts';
import type { ModelRequest } from '../../src/models/model-client.ts';
import { scriptedModel } from '../../src/testing/index.ts';

describe('scriptedModel', () => {
  const signal = new AbortController().signal;
  const request = (text: string): ModelRequest => ({
    model: 'default',
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    maxTokens: 100,
  });

  it('answers in order and keeps what it was asked', async () => {
    const model = scriptedModel(['one', 'two']);
    const first = await model.complete(request('a'), { signal });
    const second = await model.complete(request('b'), { signal });
    expect([first, second].map(({ message }) => message.parts)).toEqual([
      [{ type: 'text', text: 'one' }],
      [{ type: 'text', text: 'two' }],
    ]);
    expect(first).toMatchObject({
      stop: 'end',
      message: { role: 'assistant' },
      spend: [{ model: 'default', inputTokens: 10, outputTokens: 5, costMicros: null, estimated: false }],
    });
    expect(model.requests).toEqual([request('a'), request('b')]);
  });

  it('calls tools, with ids of its own', async () => {
    const model = scriptedModel([
      {
        text: 'Let me look.',
        calls: [{ name: 'door_snapshot' }, { name: 'get_a', arguments: { id: 7 }, id: 'mine' }],
      },
      { calls: [{ name: 'get_b' }] },
    ]);
    const first = await model.complete(request('a'), { signal });
    expect(first.stop).toBe('tool_calls');
    expect(first.message.parts).toEqual([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_call', id: 'call_1', name: 'door_snapshot', arguments: {} },
      { type: 'tool_call', id: 'mine', name: 'get_a', arguments: { id: 7 } },
    ]);
    const second = await model.complete(request('b'), { signal });
    expect(second.message.parts).toMatchObject([{ id: 'call_2', name: 'get_b' }]);
  });

  it('gives whole replies, replies made from the request, and errors', async () => {
    const whole = { message: { role: 'assistant', parts: [] }, stop: 'refusal', spend: [] } as const;
    const model = scriptedModel([whole, ({ model: name }) => `I am ${name}`, new Error('overloaded')]);
    expect(await model.complete(request('a'), { signal })).toBe(whole);
    expect(await model.complete(request('b'), { signal })).toMatchObject({
      message: { parts: [{ text: 'I am default' }] },
    });
    await expect(model.complete(request('c'), { signal })).rejects.toThrow('overloaded');
  });

  it('gives a text that answers a schema as its value', async () => {
    const model = scriptedModel(['{"mood": "good"}', 'hello']);
    const asked = { ...request('a'), schema: { type: 'object' } };
    expect(await model.complete(asked, { signal })).toMatchObject({ value: { mood: 'good' }, stop: 'end' });
    expect(await model.complete(request('b'), { signal })).not.toHaveProperty('value');
  });

  it('fails when its script is over', async () => {
    const model = scriptedModel([]);
    await expect(model.complete(request('a'), { signal })).rejects.toThrow(
      'has 0 replies and was asked once more',
    );
  });

  it('tells text as it comes, and stops when it is told to', async () => {
    const model = scriptedModel(['one']);
    const deltas: Json[] = [];
    await model.complete(request('a'), { signal, onDelta: (text) => void deltas.push(text) });
    expect(deltas).toEqual(['one']);
    const reason = new Error('too late');
    await expect(model.complete(request('b'), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(model.requests).toHaveLength(1);
  });

  it('knows every alias and estimates by length', () => {
    const model = scriptedModel([]);
    expect(model.check('anything')).toBeUndefined();
    expect(model.estimateTokens(request('a'))).toBe(Math.ceil(JSON.stringify(request('a')).length / 4));
  });
});
