import { describe, expect, it } from 'vitest';
import { startSimulator } from '../src/index.ts';
import { type PromptBlock, toPromptBlock } from '../src/reply/prompt.ts';
import { PromptCache } from '../src/reply/prompt-cache.ts';
import { message } from './ask.ts';

const block = (json: string, tokens = 100, breakpoint?: '5m' | '1h'): PromptBlock => ({
  json,
  tokens,
  breakpoint,
});
const marked = (json: string, ttl: '5m' | '1h' = '5m') => block(json, 100, ttl);

describe('PromptCache on Chat Completions', () => {
  it('reads the longest prefix that it has seen, of the same model', () => {
    const cache = new PromptCache(0);
    const read = (model: string, ...names: string[]) =>
      cache.readAutomatic(
        model,
        names.map((name) => block(name)),
      ).cacheReadTokens;
    expect(read('m', 'a', 'b')).toBe(0);
    expect(read('m', 'a', 'b', 'c')).toBe(200);
    expect(read('m', 'a', 'x')).toBe(100);
    expect(read('m', 'b', 'a')).toBe(0);
    expect(read('n', 'a', 'b')).toBe(0);
    expect(read('m', 'a', 'b', 'c', 'd')).toBe(300);
  });

  it('keeps no prefix of fewer tokens than it needs', () => {
    const cache = new PromptCache(200);
    const read = (...names: string[]) =>
      cache.readAutomatic(
        'm',
        names.map((name) => block(name)),
      ).cacheReadTokens;
    read('a', 'b', 'c');
    expect(read('a')).toBe(0);
    expect(read('a', 'x', 'y')).toBe(0);
    expect(read('a', 'b')).toBe(200);
    expect(read('a', 'b', 'z')).toBe(200);
  });

  it('forgets what was unused for longest', () => {
    const cache = new PromptCache(0, 2);
    const read = (name: string) => cache.readAutomatic('m', [block(name)]).cacheReadTokens;
    read('a');
    read('b');
    expect(read('a')).toBe(100);
    read('c');
    expect([read('a'), read('b')]).toEqual([100, 0]);
  });
});

describe('PromptCache on Messages', () => {
  it('writes up to the last breakpoint and reads it back', () => {
    const cache = new PromptCache(0);
    const first = cache.readAtBreakpoints('m', [marked('tools'), marked('system'), block('hi')]);
    expect(first).toEqual({ cacheReadTokens: 0, cacheWriteTokens: 200, cacheWrite1hTokens: 0 });
    const second = cache.readAtBreakpoints('m', [marked('tools'), marked('system'), marked('bye')]);
    expect(second).toEqual({ cacheReadTokens: 200, cacheWriteTokens: 100, cacheWrite1hTokens: 0 });
  });

  it('reads nothing without a breakpoint, and keeps nothing', () => {
    const cache = new PromptCache(0);
    const none = { cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 };
    expect(cache.readAtBreakpoints('m', [block('a'), block('b')])).toEqual(none);
    cache.readAtBreakpoints('m', [marked('a'), block('b')]);
    expect(cache.readAtBreakpoints('m', [block('a'), block('b')])).toEqual(none);
  });

  it('does not find a prefix whose beginning changed', () => {
    const cache = new PromptCache(0);
    cache.readAtBreakpoints('m', [marked('tools'), marked('system')]);
    const changed = cache.readAtBreakpoints('m', [marked('other'), marked('system')]);
    expect(changed).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 200 });
  });

  it('looks 20 pieces back from a breakpoint, and no further', () => {
    const blocks = (count: number) => Array.from({ length: count }, (_, i) => block(`b${i}`));
    const readAfter = (count: number) => {
      const cache = new PromptCache(0);
      cache.readAtBreakpoints('m', [marked('start')]);
      return cache.readAtBreakpoints('m', [block('start'), ...blocks(count), marked('end')]).cacheReadTokens;
    };
    expect([readAfter(17), readAfter(18), readAfter(19)]).toEqual([100, 100, 0]);
  });

  it('counts what is kept for an hour apart', () => {
    const cache = new PromptCache(0);
    const blocks = [marked('tools', '1h'), marked('system')];
    expect(cache.readAtBreakpoints('m', blocks)).toEqual({
      cacheReadTokens: 0,
      cacheWriteTokens: 200,
      cacheWrite1hTokens: 100,
    });
  });

  it('needs 1024 tokens by default, fewer when told so', async () => {
    const usageOf = async (tokens: number, cacheMinTokens?: number) => {
      const simulator = await startSimulator(cacheMinTokens === undefined ? {} : { cacheMinTokens });
      const overhead = Buffer.byteLength(JSON.stringify({ type: 'text', text: '' }));
      const text = 'x'.repeat(tokens * 4 - overhead);
      const system = [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
      const { usage } = (await message(simulator, 'hi', { system })).json;
      await simulator.close();
      return usage.cache_creation_input_tokens as number;
    };
    expect([await usageOf(1023), await usageOf(1024), await usageOf(1025)]).toEqual([0, 1024, 1025]);
    expect([await usageOf(9, 10), await usageOf(10, 10)]).toEqual([0, 10]);
  });
});

describe('toPromptBlock', () => {
  it('counts a quarter of the bytes of the JSON, without its cache mark', () => {
    const plain = { type: 'text', text: 'äöü' };
    const cached = { ...plain, cache_control: { type: 'ephemeral' } };
    expect(toPromptBlock(plain).tokens).toBe(Math.ceil(Buffer.byteLength(JSON.stringify(plain)) / 4));
    expect(toPromptBlock(cached)).toEqual(toPromptBlock(plain));
  });

  it('tells images apart that it counts alike', () => {
    const image = (data: string) => ({ type: 'image', source: { type: 'base64', data } });
    const [one, other] = [toPromptBlock(image('a'.repeat(9000))), toPromptBlock(image('b'))];
    expect(one.tokens).toBe(other.tokens);
    expect(one.json).not.toBe(other.json);
  });
});
