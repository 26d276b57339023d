import type { Json } from '@waymark/contract';
import { decodeValue, encodeValue, toBlobs, toPieces } from '../../src/runs/stored-value.ts';

/** A value after it was stored, and the sizes of what stands beside it. */
export function stored(value: Json) {
  const { text, blobs } = encodeValue(value);
  const rows = blobs.flatMap(toPieces);
  const held = toBlobs(rows.map(({ hash, bytes }) => [hash, bytes]));
  return {
    value: decodeValue(text, held),
    after: decodeValue(text, new Map()),
    beside: blobs.map(({ bytes }) => bytes.length),
    rows: rows.map(({ bytes }) => bytes.length),
    inRow: Buffer.byteLength(text),
  };
}

export const image = (data: string) => ({ type: 'image', mediaType: 'image/png', data });
export const base64 = (bytes: number, fill = 1) => Buffer.alloc(bytes, fill).toString('base64');
