import type { MessageHead } from './message-reader.ts';

/** MQTT 3.1.1, as much of it as QoS 0 needs. */
const version = 4;
const cleanSession = 2;
const topicAndLength = (topic: string): Buffer =>
  Buffer.concat([sixteenBits(topic.length), Buffer.from(topic)]);

/** Opens a session without a name. */
export function connectPacket(): Buffer {
  const keepAliveSeconds = sixteenBits(0);
  const body = [
    topicAndLength('MQTT'),
    Buffer.from([version, cleanSession]),
    keepAliveSeconds,
    sixteenBits(0),
  ];
  return packet(0x10, Buffer.concat(body));
}

/** Asks for the messages of a topic. */
export function subscribePacket(topic: string): Buffer {
  return packet(0x82, Buffer.concat([sixteenBits(1), topicAndLength(topic), Buffer.from([0])]));
}

/** What stands before the bytes of a message that is published. */
export function publishHead(topic: string, bytes: number): Buffer {
  const name = topicAndLength(topic);
  return Buffer.concat([Buffer.from([0x30]), variableLength(name.length + bytes), name]);
}

/** Reads the beginning of a packet of a broker. */
export function readPacketHead(bytes: Buffer, available: number): MessageHead | undefined {
  let length = 0;
  for (let at = 1; at < available; at++) {
    const byte = bytes.readUInt8(at);
    length += (byte & 0x7f) << (7 * (at - 1));
    if (byte >= 0x80) continue;
    const kind = bytes.readUInt8(0) >> 4;
    if (kind !== 3) return { kind: kind === 9 ? 'text' : 'other', headLength: at + 1, length };
    // The topic belongs to the head, so that a message begins with its frame.
    if (available < at + 3) return undefined;
    const topic = 2 + bytes.readUInt16BE(at + 1);
    if (available < at + 1 + topic) return undefined;
    return { kind: 'frame', headLength: at + 1 + topic, length: length - topic };
  }
  return undefined;
}

function packet(first: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([first]), variableLength(body.length), body]);
}

function variableLength(length: number): Buffer {
  const bytes: number[] = [];
  for (let left = length; bytes.length === 0 || left > 0; left = Math.floor(left / 128))
    bytes.push((left % 128) + (left >= 128 ? 0x80 : 0));
  return Buffer.from(bytes);
}

function sixteenBits(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
