import { defineRoute, HTTPError, type Json, reply } from '@waymark/contract';
import type { ModelRequest, Part } from '@waymark/contract/models';
import { scriptedModel, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentOptions, agent } from '../src/index.ts';
import { cutBytes, cutChars } from '../src/run/cut-text.ts';
import { toToolContent } from '../src/run/tool-content.ts';
import { openDesk } from './desk/open-desk.ts';

/** What a model is shown of what a tool gives. */
async function shown(answer: () => unknown, options: AgentOptions = {}): Promise<readonly Part[]> {
  const models = scriptedModel([{ calls: [{ name: 'tool' }] }, 'Done.']);
  const route = defineRoute('GET', '/tool', { tool: true, toolName: 'tool' }, answer);
  const desk = await openDesk([agent('helper', { tools: ['tool'], ...options })], models, {
    routes: [route],
  });
  await desk.run('helper', 'Go.');
  const [result] = models.requests[1]?.messages.at(-1)?.parts ?? [];
  return result?.type === 'tool_result' ? result.parts : [];
}

const png = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1').toString('base64');
const marker = { $image: { media_type: 'image/png', data: png } };
const picture: Part = { type: 'image', mediaType: 'image/png', data: png };

describe('a tool result', () => {
  it('has the numbers of an upstream as they came', async () => {
    verifies('proxy.numbers');
    const text = '{"id":1234567890123456789}';
    const { rawJSON } = JSON as unknown as { rawJSON(number: string): unknown };
    expect(await shown(() => ({ id: rawJSON('1234567890123456789') }))).toEqual([{ type: 'text', text }]);
  });

  it.each([
    [16_384, false],
    [16_385, true],
  ])('of %s bytes is cut by default: %s', async (length, cut) => {
    verifies('agent.option.tool-result-limit', 'agent.option.tool-result-limit.default', 'limit.tool-result');
    verifies('agent.tool-result.cut');
    const [part] = await shown(() => 'x'.repeat(length));
    const text = part?.type === 'text' ? part.text : '';
    expect(text.startsWith('x'.repeat(16_384))).toBe(true);
    expect(text.slice(16_384)).toBe(cut ? '\n[cut: the first 16384 of 16385 bytes are shown]' : '');
  });

  it('is cut between characters', async () => {
    verifies('agent.tool-result.cut');
    expect(await shown(() => 'aé€😀', { toolResultLimit: 9 })).toEqual([
      { type: 'text', text: 'aé€\n[cut: the first 6 of 10 bytes are shown]' },
    ]);
  });

  it('that is an error is cut the same way', async () => {
    verifies('agent.tool-result.cut');
    const fail = () => {
      throw new HTTPError(409, 'y'.repeat(100));
    };
    const [part] = await shown(fail, { toolResultLimit: 40 });
    expect(part).toEqual({
      type: 'text',
      text: `${`tool tool failed with 409: ${'y'.repeat(100)}`.slice(0, 40)}\n[cut: the first 40 of 127 bytes are shown]`,
    });
  });

  it('is text as it is, and JSON for anything else', async () => {
    expect(await shown(() => 'plain "text"')).toEqual([{ type: 'text', text: 'plain "text"' }]);
    expect(await shown(() => ({ a: [1, null] }))).toEqual([{ type: 'text', text: '{"a":[1,null]}' }]);
    expect(await shown(() => reply(201, { b: 2 }))).toEqual([{ type: 'text', text: '{"b":2}' }]);
  });

  it('shows its images, wherever they stand', async () => {
    verifies('image.marker', 'image.helper');
    expect(await shown(() => ({ door: marker, more: [{ deep: marker }] }))).toEqual([
      { type: 'text', text: '{"door":"[image 1]","more":[{"deep":"[image 2]"}]}' },
      picture,
      picture,
    ]);
  });

  it('does not count its images towards the limit', async () => {
    const parts = await shown(() => marker, { toolResultLimit: 9 });
    expect(parts).toEqual([{ type: 'text', text: '[image 1]' }, picture]);
  });
});

describe('toToolContent', () => {
  it.each<readonly [string, Json, string]>([
    ['no base64', { $image: { media_type: 'image/png', data: '!' } }, '[image that cannot be read]'],
    ['a URL', { $image: { url: 'http://169.254.169.254/' } }, '[image that cannot be read]'],
    [
      'no picture',
      { $image: { media_type: 'image/png', data: 'aGVsbG8gd29ybGQh' } },
      '[image that cannot be read]',
    ],
    ['sound', { $audio: { media_type: 'audio/wav', data: 'AAAA' } }, '[audio/wav, 3 bytes]'],
    ['bytes', { $bytes: { media_type: 'application/pdf', data: 'AAA=' } }, '[application/pdf, 2 bytes]'],
  ])('makes a word of what is marked and is %s', (_, value, text) => {
    expect(toToolContent(value)).toEqual({ text, images: [] });
  });

  it('shows a resource without its bytes', () => {
    const $resource = { uri: 'file:///a', media_type: 'application/pdf', data: 'AAAA' };
    expect(toToolContent({ $resource }).text).toBe(
      '{"uri":"file:///a","media_type":"application/pdf","bytes":3}',
    );
  });

  it('shows 16 images at most, and none of more than 5 MB', () => {
    const many = toToolContent(Array<Json>(17).fill(marker));
    expect(many.images).toHaveLength(16);
    expect(many.text).toContain('[image left out: more than 16]');
    const data = Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(5 * 1_048_576)]).toString('base64');
    const large = toToolContent({ $image: { media_type: 'image/png', data } });
    expect(large).toEqual({ text: '[image left out: larger than 5242880 bytes]', images: [] });
  });
});

describe('images of a conversation', () => {
  /** The pictures and the words for those that went, in the order in which the last request has them. */
  const picturesOf = (request: ModelRequest | undefined): readonly string[] =>
    (request?.messages ?? []).flatMap(({ parts }) =>
      parts.flatMap((part) =>
        (part.type === 'tool_result' ? part.parts : [part]).flatMap((one) => {
          if (one.type === 'image') return [one.mediaType];
          return one.type === 'text' && one.text.startsWith('[image removed') ? ['removed'] : [];
        }),
      ),
    );

  it.each([
    [{}, 4],
    [{ maxImages: 1 }, 1],
    [{ maxImages: 0 }, 0],
  ])('with %o are the %s newest, and the others are counted', async (options: AgentOptions, kept) => {
    verifies('agent.option.max-images', 'image.max-images.default');
    const look = { calls: [{ name: 'snapshot' }] };
    const models = scriptedModel([look, look, look, look, look, 'Seen.']);
    const route = defineRoute('GET', '/snapshot', { tool: true, toolName: 'snapshot' }, () => marker);
    const desk = await openDesk([agent('guard', { tools: ['snapshot'], ...options })], models, {
      routes: [route],
    });
    const images = [{ media_type: 'image/png', data: png }];
    const result = await desk.run('guard', { input: 'Look.', images });
    expect(picturesOf(models.requests[5])).toEqual([
      ...Array<string>(6 - kept).fill('removed'),
      ...Array<string>(kept).fill('image/png'),
    ]);
    expect(result.usage['images_dropped']).toBe(6 - kept);
  });
});

describe('cutBytes', () => {
  it('gives the longest whole beginning within the limit', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, fc.nat(40), (whole, limit) => {
        const cut = cutBytes(whole, limit);
        const total = Buffer.byteLength(whole);
        if (total <= limit) {
          expect(cut).toBe(whole);
          return;
        }
        const [, kept = '', shown] =
          /^([\s\S]*)\n\[cut: the first (\d+) of \d+ bytes are shown\]$/.exec(cut) ?? [];
        expect(whole.startsWith(kept)).toBe(true);
        expect(kept.isWellFormed()).toBe(whole.isWellFormed());
        expect(Number(shown)).toBe(Buffer.byteLength(kept));
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(limit);
        const [next = ''] = whole.slice(kept.length);
        expect(Buffer.byteLength(kept + next)).toBeGreaterThan(limit);
      }),
    );
  });
});

describe('cutChars', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc\n[cut: the first 3 of 4 characters are shown]'],
    ['ab😀d', 3, 'ab\n[cut: the first 2 of 5 characters are shown]'],
    ['ab😀d', 4, 'ab😀\n[cut: the first 4 of 5 characters are shown]'],
  ])('cuts %j to %s without parting a pair', (text, limit, cut) => {
    expect(cutChars(text, limit)).toBe(cut);
  });
});
