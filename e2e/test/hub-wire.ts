import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { Connection, type Header, handshake, toBytes } from './wire/connection.ts';

/** What of a frame's first two bytes a client may get wrong. */
export interface WsFrameForm {
  readonly fin?: boolean;
  /** Which a client must do. */
  readonly masked?: boolean;
  /** Says that the message is compressed. */
  readonly rsv1?: boolean;
}

/** A WebSocket frame as a client sends it. */
export function wsFrame(
  opcode: number,
  payload: Uint8Array,
  { fin = true, masked = true, rsv1 = false }: WsFrameForm = {},
): Buffer {
  const { length } = payload;
  const head =
    length < 126
      ? [length | (masked ? 0x80 : 0)]
      : length < 65_536
        ? [126 | (masked ? 0x80 : 0), length >> 8, length & 0xff]
        : [127 | (masked ? 0x80 : 0), 0, 0, 0, 0, ...[24, 16, 8, 0].map((bits) => (length >> bits) & 0xff)];
  const mask = masked ? randomBytes(4) : Buffer.alloc(0);
  const body = masked ? payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0)) : payload;
  const first = (fin ? 0x80 : 0) | (rsv1 ? 0x40 : 0) | opcode;
  return Buffer.concat([Buffer.from([first, ...head]), mask, body]);
}

/** The code of the close frame that a server sent, wherever it stands behind the others. */
export function closeCode(bytes: Uint8Array): number | undefined {
  const at = Buffer.from(bytes).lastIndexOf(Buffer.from([0x88]));
  return at === -1 ? undefined : Buffer.from(bytes).readUInt16BE(at + 2);
}

/** Opens a socket by hand. @param headers beside those of the handshake */
export async function openRaw(
  port: number,
  target: string,
  headers: readonly Header[] = [['x-api-key', 'both']],
): Promise<Connection> {
  const connection = await Connection.open(port);
  connection.send(toBytes({ target, headers: [...handshake, ...headers] }));
  expect((await connection.next())?.status).toBe(101);
  return connection;
}
