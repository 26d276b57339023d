import type { HubAddress, Wire } from '../jobs.ts';
import { device, keys } from '../jobs.ts';
import type { MessageHead, ReadHead } from './message-reader.ts';
import { connectPacket, readPacketHead, subscribePacket } from './mqtt-packets.ts';

/** What a reader has to know of a wire. */
export interface ReaderWire {
  /** What it sends first. */
  readonly opening: (hub: HubAddress) => Buffer;
  /** Whether an HTTP answer comes before the messages. */
  readonly upgrades: boolean;
  /** Whether that answer is all there is to wait for. */
  readonly readyAtAnswer: boolean;
  readonly readHead: ReadHead;
  /** Whether frames come from now on, by a message that is none; and what is answered to it. */
  readonly onWords: (words: Buffer) => { readonly ready?: boolean; readonly answer?: Buffer };
}

const websocketPaths: Partial<Record<Wire, string>> = {
  websocket: `/devices/${device}/stream`,
  'socket.io': '/socket.io/?EIO=4&transport=websocket',
};

/** Every wire there is. */
export const wires: Readonly<Record<Wire, ReaderWire>> = {
  websocket: {
    opening: upgradeRequest,
    upgrades: true,
    readyAtAnswer: true,
    readHead: readFrameHead,
    onWords: () => ({}),
  },
  'socket.io': {
    opening: upgradeRequest,
    upgrades: true,
    readyAtAnswer: false,
    readHead: readFrameHead,
    onWords: answerSocketIo,
  },
  mqtt: {
    opening: () => Buffer.concat([connectPacket(), subscribePacket(device)]),
    upgrades: false,
    readyAtAnswer: false,
    readHead: readPacketHead,
    // The only word of a broker is that it took the subscription.
    onWords: () => ({ ready: true }),
  },
};

/** A message of a client: masked, as it must be (RFC 6455, 5.3), with zeros, which change nothing. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

function upgradeRequest({ url, wire }: HubAddress): Buffer {
  const lines = [
    `GET ${websocketPaths[wire] ?? '/'} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    `x-api-key: ${keys.read}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

function readFrameHead(bytes: Buffer, available: number): MessageHead | undefined {
  if (available < 2) return undefined;
  const opcode = bytes.readUInt8(0) & 0x0f;
  const short = bytes.readUInt8(1) & 0x7f;
  const headLength = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (available < headLength) return undefined;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : bytes.readUIntBE(4, 6);
  const kind = opcode === 0x2 ? 'frame' : opcode === 0x1 ? 'text' : opcode === 0x9 ? 'ping' : 'other';
  return { kind, headLength, length };
}

/** Its protocol above WebSocket: `0` opens, `2` asks whether we live, `40` says that we are in. */
function answerSocketIo(words: Buffer): { readonly ready?: boolean; readonly answer?: Buffer } {
  const text = words.toString('latin1', 0, 2);
  if (text.startsWith('0')) return { answer: clientFrame(0x1, Buffer.from('40')) };
  if (text.startsWith('2')) return { answer: clientFrame(0x1, Buffer.from('3')) };
  return { ready: text === '40' };
}
