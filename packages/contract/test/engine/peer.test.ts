import { describe, expect, it } from 'vitest';
import { encodeMessages } from '../../src/engine/peer.ts';
import { decodeMessages } from '../../src/testing/index.ts';

/** The bytes before the payload, by RFC 6455: opcode with FIN, then the length in one, three or nine bytes. */
const headers: readonly (readonly [length: number, header: readonly number[]])[] = [
  [0, [0]],
  [1, [1]],
  [125, [125]],
  [126, [126, 0, 126]],
  [65_535, [126, 0xff, 0xff]],
  [65_536, [127, 0, 0, 0, 0, 0, 1, 0, 0]],
];

describe('encodeMessages', () => {
  it.each(headers)('frames %i bytes as one whole binary message', (length, header) => {
    const payload = new Uint8Array(length).map((_, i) => i);
    const { bytes, messages } = encodeMessages([payload]);
    expect(messages).toBe(1);
    expect([...bytes.subarray(0, header.length + 1)]).toEqual([0x82, ...header]);
    expect(Buffer.compare(bytes.subarray(header.length + 1), payload)).toBe(0);
  });

  it.each(headers)('frames text of %i bytes as one whole text message', (length, header) => {
    const { bytes } = encodeMessages(['x'.repeat(length)]);
    expect([...bytes.subarray(0, header.length + 1)]).toEqual([0x81, ...header]);
    expect(bytes).toHaveLength(1 + header.length + length);
  });

  it('counts the bytes of text, not its letters', () => {
    expect([...encodeMessages(['ä']).bytes]).toEqual([0x81, 2, 0xc3, 0xa4]);
  });

  it('puts messages of every length behind one another', () => {
    const messages = headers.flatMap(([length]) => ['ü'.repeat(length), new Uint8Array(length).fill(7)]);
    const encoded = encodeMessages(messages);
    expect(encoded.messages).toBe(messages.length);
    expect(decodeMessages(encoded.bytes)).toEqual(messages);
  });

  it('puts a ping behind them, which is no message', () => {
    const ping = new Uint8Array([7, 8]);
    const encoded = encodeMessages(['a'], ping);
    expect([...encoded.bytes]).toEqual([0x81, 1, 0x61, 0x89, 2, 7, 8]);
    expect(encoded).toMatchObject({ messages: 1, ping });
  });

  it('encodes nothing as nothing', () => {
    expect(encodeMessages([])).toEqual({ bytes: new Uint8Array(), messages: 0 });
  });

  it('copies: bytes may be written into afterwards', () => {
    const payload = new Uint8Array([1, 2]);
    const { bytes } = encodeMessages([payload.subarray(1)]);
    payload.fill(9);
    expect([...bytes]).toEqual([0x82, 1, 2]);
  });
});
