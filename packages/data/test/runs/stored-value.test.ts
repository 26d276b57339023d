import type { Json } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { base64, image, stored } from './stored.ts';

describe('a stored value', () => {
  it.each<[string, Json]>([
    ['nothing', null],
    ['text', 'ä\0\ud800 "#" @'],
    ['text that looks like our own', '#{"hash":"x"}'],
    ['numbers', [0, -1.5, 1e300]],
    ['an empty object', {}],
    ['a member named __proto__', JSON.parse('{"__proto__":{"a":1},"i":{"type":"image","data":"AQEB"}}')],
    ['an image without bytes', image('')],
    ['an image in another spelling', image('AQEB\n')],
    ['no base64 at all', image('not an image!')],
    ['data that is no text', { type: 'image', data: [1, { type: 'image', data: 7 }] }],
    ['images in images', { type: 'image', data: { type: 'image', data: 'AQEB' }, more: image('AgIC') }],
    ['the same image twice', [image(base64(9)), { deep: [[image(base64(9))]] }]],
  ])('comes back as it was: %s', (_, value) => {
    expect(stored(value).value).toEqual(value);
    expect(JSON.stringify(stored(value).value)).toBe(JSON.stringify(value));
  });

  it.each([
    [65_535, []],
    [65_536, []],
    [65_537, [65_537]],
  ])('stands in its row up to 64 KiB: %i bytes', (bytes, beside) => {
    // Two of them are the quotes; each ä has two.
    expect(stored('x'.repeat(bytes - 2)).beside).toEqual(beside);
    expect(stored(`${'ä'.repeat(10_000)}${'x'.repeat(bytes - 20_002)}`).beside).toEqual(beside);
  });

  it.each([
    [4_194_303, [4_194_303]],
    [4_194_304, [4_194_304]],
    [4_194_305, [4_194_304, 1]],
    [9_000_000, [4_194_304, 4_194_304, 611_392]],
  ])('is several rows beyond 4 MiB, and comes back whole: %i bytes', (bytes, rows) => {
    const value = [image(Buffer.alloc(bytes, 'counted in pieces').toString('base64')), image(base64(10))];
    expect(stored(value)).toMatchObject({ rows: [...rows, 10] });
    expect(JSON.stringify(stored(value).value) === JSON.stringify(value)).toBe(true);
  });

  it('keeps an image as bytes, however small', () => {
    const { beside, inRow, after } = stored({ parts: [image(base64(10)), { type: 'text', text: 'x' }] });
    expect(beside).toEqual([10]);
    expect(inRow).toBeLessThan(300);
    expect(after).toEqual({
      parts: [
        { ...image(''), bytes: 10 },
        { type: 'text', text: 'x' },
      ],
    });
  });

  it('leaves type and size of what is gone', () => {
    verifies('run.values.large');
    expect(stored('x'.repeat(70_000)).after).toEqual({ type: 'string', bytes: 70_002 });
    expect(stored({ a: 'x'.repeat(70_000) }).after).toEqual({ type: 'object', bytes: 70_008 });
    expect(stored(['x'.repeat(70_000)]).after).toEqual({ type: 'array', bytes: 70_004 });
  });

  it('finds images in a value that is large itself', () => {
    const value = { text: 'x'.repeat(70_000), image: image(base64(100)) };
    expect(stored(value).value).toEqual(value);
    expect(stored(value).beside[0]).toBe(100);
  });
});
