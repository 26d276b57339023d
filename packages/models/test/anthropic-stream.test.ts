import { describe, expect, it } from 'vitest';
import { anthropicFormat } from '../src/anthropic/format.ts';

/** Reads events as they are on the wire. @returns the reader and what it told */
function read(...events: readonly object[]) {
  const told: string[] = [];
  const reader = anthropicFormat.createStreamReader((text) => told.push(text));
  for (const event of events) reader.read({ name: '', data: JSON.stringify(event) });
  return { reader, told, reply: reader.body && anthropicFormat.readReply(reader.body, 'anthropic') };
}

const start = (usage: object) => ({ type: 'message_start', message: { id: 'msg_1', content: [], usage } });

describe('the stream of Messages', () => {
  it('counts tokens by its last event, except for those that it leaves open', () => {
    const { reply } = read(start({ input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 1 }), {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: null, output_tokens: 5 },
    });
    expect(reply?.usage).toEqual({
      inputTokens: 14,
      outputTokens: 5,
      cacheReadTokens: 4,
      cacheWriteTokens: 0,
    });
  });

  it('keeps citations and deltas of kinds that are still to come', () => {
    const { reply, told } = read(
      start({}),
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'so' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: { page: 1 } } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'dream', depth: 1 } },
      { type: 'content_block_delta', index: 1, delta: { type: 'dream_delta', depth: 2 } },
      { type: 'something_new' },
    );
    expect(told).toEqual(['so']);
    expect(reply?.parts).toEqual([
      {
        type: 'opaque',
        provider: 'anthropic',
        value: { type: 'text', text: 'so', citations: [{ page: 1 }] },
      },
      { type: 'opaque', provider: 'anthropic', value: { type: 'dream', depth: 2 } },
    ]);
  });

  it('does not take the count of its first event for that of the whole', () => {
    const { reply } = read(start({ input_tokens: 10, output_tokens: 1 }));
    expect(reply?.usage).toMatchObject({ inputTokens: 10, outputTokens: undefined });
  });

  it('keeps all blocks, whatever index they have, and tells the text that a block begins with', () => {
    const { reply, told } = read(
      start({}),
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'a' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '' } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b' } },
      { type: 'content_block_start', content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'c' } },
    );
    expect(reply?.parts.map((part) => part.type === 'text' && part.text)).toEqual(['a', 'b', 'c']);
    expect(told).toEqual(['a', 'b', 'c']);
  });

  it('is whole with its last event, or a reason to stop, and not before', () => {
    const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
    expect(read(start({}), stop).reader.done).toBe(true);
    expect(read(start({})).reader.done).toBe(false);
    expect(read(start({}), { type: 'message_stop' }).reader.done).toBe(true);
    expect(read({ type: 'ping' }).reader.body).toBeUndefined();
  });
});
