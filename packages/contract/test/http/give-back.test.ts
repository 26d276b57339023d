import { describe, expect, it, onTestFinished } from 'vitest';
import { giveBack, giveBackMessage } from '../../src/http/give-back.ts';

describe('giveBack', () => {
  it('takes the memory of bytes that are alone in it', () => {
    const bytes = new Uint8Array(8);
    giveBack(bytes);
    expect(bytes.buffer.byteLength).toBe(0);
  });

  it("leaves what others lie in, unless it is nobody's", () => {
    const part = new Uint8Array(8).subarray(2, 4);
    giveBack(part);
    expect(part).toHaveLength(2);
    giveBack(part, true);
    expect(part).toHaveLength(0);
  });

  it('leaves it to the collector where the platform cannot', () => {
    const { transfer } = ArrayBuffer.prototype;
    onTestFinished(() => void Object.assign(ArrayBuffer.prototype, { transfer }));
    Reflect.deleteProperty(ArrayBuffer.prototype, 'transfer');
    const bytes = new Uint8Array(8);
    giveBack(bytes);
    expect(bytes).toHaveLength(8);
  });
});

describe('giveBackMessage', () => {
  it.each([
    [65_535, 65_535],
    [65_536, 0],
  ])('of %i bytes leaves %i', (bytes, left) => {
    const message = new Uint8Array(bytes);
    giveBackMessage(message);
    expect(message).toHaveLength(left);
  });
});
