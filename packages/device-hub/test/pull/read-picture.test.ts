import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { readPicture } from '../../src/pull/read-picture.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

describe('readPicture', () => {
  it('keeps the bytes, and not the pieces in which they come', async () => {
    verifies('hub.pull.bounded');
    const total = 200_000;
    let keptBytes = 0;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      gc();
      const { heapUsed } = process.memoryUsage();
      for (let i = 0; i < total; i++) yield Uint8Array.of(i & 0xff);
      gc();
      keptBytes = process.memoryUsage().heapUsed - heapUsed;
    }
    const headers = { 'transfer-encoding': 'chunked' };
    const bytes = await readPicture({ status: 200, headers, body: ReadableStream.from(pieces()) }, total);
    expect(bytes).toHaveLength(total);
    expect(bytes.every((byte, i) => byte === (i & 0xff))).toBe(true);
    // Of what is read no more is kept alive than its bytes.
    expect(bytes.buffer.byteLength).toBe(total);
    expect(keptBytes).toBeLessThan(20 * total);
  });

  it.each([
    ['at the limit', 10, {}, 'taken'],
    ['over it', 11, {}, 413],
    ['that says it is', 1, { 'content-length': '11' }, 413],
  ])('of a size %s', async (_, length, headers, expected) => {
    verifies('hub.pull.bounded');
    const body = new Blob([new Uint8Array(length)]).stream();
    const answer = readPicture({ status: 200, headers, body }, 10);
    expect(
      await answer.then(
        () => 'taken',
        ({ status }) => status,
      ),
    ).toBe(expected);
  });
});
