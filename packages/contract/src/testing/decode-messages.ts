import assert from 'node:assert/strict';

/**
 * Takes apart WebSocket frames as a server sends them: unmasked, whole text and binary messages (RFC 6455, 5.2).
 *
 * @throws {AssertionError} on anything else, a rest included
 */
export function decodeMessages(bytes: Uint8Array): readonly (string | Uint8Array)[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const messages: (string | Uint8Array)[] = [];
  for (let at = 0; at < bytes.length; ) {
    const opcode = view.getUint8(at) ^ 0x80;
    assert.ok(opcode === 0x1 || opcode === 0x2, `byte ${at} does not open a whole text or binary message`);
    const { start, length } = readLength(view, at + 1);
    assert.ok(start + length <= bytes.length, `the message at byte ${at} is cut off`);
    // Not `slice`: that of a Buffer does not copy.
    const payload = new Uint8Array(bytes.subarray(start, start + length));
    messages.push(opcode === 0x1 ? new TextDecoder('utf-8', { fatal: true }).decode(payload) : payload);
    at = start + length;
  }
  return messages;
}

function readLength(view: DataView, at: number): { readonly start: number; readonly length: number } {
  const short = view.getUint8(at);
  assert.ok(short < 128, 'a server does not mask');
  if (short < 126) return { start: at + 1, length: short };
  if (short === 126) return { start: at + 3, length: view.getUint16(at + 1) };
  return { start: at + 9, length: Number(view.getBigUint64(at + 1)) };
}
