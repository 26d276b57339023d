import { describe, expect, it } from 'vitest';
import { fromReceipt, toReceipt } from '../../src/stream/receipt.ts';

describe('receipts', () => {
  it.each([0, 1, 255, 256, 2 ** 32, 2 ** 47])('come back with the number %d they went out with', (number) => {
    expect(fromReceipt(toReceipt(number))).toBe(number);
  });

  it('are read wherever they lie in a larger buffer', () => {
    const chunk = Buffer.concat([Buffer.from('ab'), toReceipt(7), Buffer.from('c')]);
    expect(fromReceipt(chunk.subarray(2, 8))).toBe(7);
  });

  it.each(['waymark', '', 'short', 'much too long'])('are not read from the payload %j', (payload) => {
    expect(fromReceipt(Buffer.from(payload))).toBeUndefined();
  });
});
