import type { Json } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue, toBlobs } from '../../src/runs/stored-value.ts';

/** A value after it was stored, and the sizes of what stands beside it. */
function stored(value: Json) {
  const { text, blobs } = encodeValue(value);
  const held = toBlobs(blobs.map(({ hash, bytes }) => [hash, bytes]));
  return {
    value: decodeValue(text, held),
    after: decodeValue(text, new Map()),
    beside: blobs.map(({ bytes }) => bytes.length),
    inRow: Buffer.byteLength(text),
  };
}

const image = (data: string) => ({ type: 'image', mediaType: 'image/png', data });
const base64 = (bytes: number, fill = 1) => Buffer.alloc(bytes, fill).toString('base64');

describe('a stored value', () => {
  it('keeps 80 MB of images out of its row', () => {
    const images = Array.from({ length: 16 }, (_, i) => image(base64(5_000_000, i)));
    const { value, beside, inRow } = stored({ input: 'look', images });
    expect(value).toEqual({ input: 'look', images });
    expect(beside).toEqual(images.map(() => 5_000_000));
    expect(inRow).toBeLessThan(4_096);
  });
});
