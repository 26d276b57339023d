import { describe, expect, it } from 'vitest';
import { readImageType } from '../../src/image/image-type.ts';
import { gif, jpeg, png, webp } from '../pictures.ts';

const size = { width: 640, height: 480 };

describe('readImageType', () => {
  it.each([
    ['image/png', png()],
    ['image/jpeg', jpeg()],
    ['image/gif', gif()],
    ['image/gif', gif(640, 480, '87a')],
    ['image/webp', webp('VP8 ')],
    ['image/webp', webp('VP8L')],
    ['image/webp', webp('VP8X')],
  ])('tells %s and its size', (mediaType, bytes) => {
    expect(readImageType(bytes)).toEqual({ mediaType, size });
  });

  it('reads the largest sizes there are', () => {
    expect(readImageType(png(0xffff_ffff, 1))?.size).toEqual({ width: 0xffff_ffff, height: 1 });
    expect(readImageType(jpeg(0xffff, 0xffff))?.size).toEqual({ width: 0xffff, height: 0xffff });
    expect(readImageType(webp('VP8L', 16_384, 16_384))?.size).toEqual({ width: 16_384, height: 16_384 });
    expect(readImageType(webp('VP8X', 16_777_216, 2))?.size).toEqual({ width: 16_777_216, height: 2 });
  });

  it('finds the size of a JPEG behind large segments, fill bytes and restart marks', () => {
    const exif = Buffer.alloc(65_537);
    exif.set([0xff, 0xe1, 0xff, 0xff]);
    const before = Buffer.concat([exif, exif, Buffer.from([0xff, 0xff, 0xff, 0xd0, 0xff, 0xc4, 0, 3, 0])]);
    expect(readImageType(jpeg(640, 480, before))?.size).toEqual(size);
  });

  it.each([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc9, 0xcf])('knows the frame header %i', (marker) => {
    expect(readImageType(jpeg(640, 480, undefined, marker))?.size).toEqual(size);
  });

  it.each([0xc4, 0xc8, 0xcc, 0xdb])('takes %i for none', (marker) => {
    expect(readImageType(jpeg(640, 480, undefined, marker))).toEqual({
      mediaType: 'image/jpeg',
      size: undefined,
    });
  });

  it('knows a type without its size when the header is cut off, at every byte', () => {
    for (const whole of [png(), jpeg(), gif(), webp('VP8 '), webp('VP8X')])
      for (let length = 0; length < whole.length; length++) {
        const cut = readImageType(whole.subarray(0, length));
        expect(cut === undefined || cut.size === undefined || cut.size.width === 640).toBe(true);
      }
    expect(readImageType(png().subarray(0, 23))).toEqual({ mediaType: 'image/png', size: undefined });
    expect(readImageType(png().subarray(0, 24))?.size).toEqual(size);
    expect(readImageType(gif().subarray(0, 9))).toEqual({ mediaType: 'image/gif', size: undefined });
  });

  it('finds the size of a lossless WebP of one pixel, which has 26 bytes', () => {
    const whole = Buffer.from('UklGRhIAAABXRUJQVlA4TAYAAAAvQWxvAGs=', 'base64');
    expect(whole).toHaveLength(26);
    expect(readImageType(whole)?.size).toBeDefined();
    expect(readImageType(webp('VP8L', 3, 5).subarray(0, 25))?.size).toEqual({ width: 3, height: 5 });
    expect(readImageType(webp('VP8L').subarray(0, 24))?.size).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a sound in a RIFF', 'RIFF\0\0\0\0WAVEfmt '],
    ['another GIF', 'GIF88a\0\0\0\0'],
    ['BMP', 'BM\0\0\0\0'],
    ['a signature that is cut off', '\x89PNG\r\n\x1a'],
  ])('does not know %s', (_, text) => {
    expect(readImageType(Buffer.from(text, 'latin1'))).toBeUndefined();
  });

  it('reads a picture that lies somewhere in a larger buffer', () => {
    const buffer = new Uint8Array(1_000);
    buffer.set(png(), 500);
    expect(readImageType(buffer.subarray(500, 540))?.size).toEqual(size);
  });

  it('gives up early on a JPEG of fill bytes alone', () => {
    const bytes = new Uint8Array(50_000_000).fill(0xff);
    bytes.set([0xff, 0xd8, 0xff]);
    const times = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      expect(readImageType(bytes)).toEqual({ mediaType: 'image/jpeg', size: undefined });
      return process.cpuUsage(before).user / 1_000;
    });
    expect(Math.min(...times)).toBeLessThan(20);
  });
});
