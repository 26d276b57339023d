import { describe, expect, it } from 'vitest';
import { encodeMessages } from '../../src/engine/peer.ts';
import { decodeMessages } from '../../src/testing/index.ts';

describe('decodeMessages', () => {
  it('reads whole messages, from a view too', () => {
    const { bytes } = encodeMessages(['ä', new Uint8Array([1])]);
    const view = Buffer.concat([Buffer.from('xx'), bytes]).subarray(2);
    expect(decodeMessages(view)).toEqual(['ä', new Uint8Array([1])]);
  });

  it.each([
    ['a part of a message', [0x01, 0], 'byte 0 does not open a whole text or binary message'],
    ['a ping', [0x89, 0], 'byte 0 does not open a whole text or binary message'],
    ['a masked message', [0x82, 0x80], 'a server does not mask'],
    ['a message that is cut off', [0x82, 2, 1], 'the message at byte 0 is cut off'],
  ])('refuses %s', (_, bytes, text) => {
    expect(() => decodeMessages(new Uint8Array(bytes))).toThrow(text);
  });
});
