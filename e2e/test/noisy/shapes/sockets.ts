import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ground } from '../ground.ts';
import { wsBytes } from '../ws-bytes.ts';
import type { Shape } from './shape.ts';
import { texts } from './texts.ts';
import { hold, pour, repeat } from './ways.ts';

const handshake = (ground: Ground): Buffer =>
  ground.head({
    headers: [
      ['connection', 'Upgrade'],
      ['upgrade', 'websocket'],
      ['sec-websocket-version', '13'],
      ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ],
  });

const text = 1;
const binary = 2;
const ping = 9;

/** The same message again and again, on several sockets. */
const poured =
  (opcode: number, payload: () => Buffer, lines = 4): Shape =>
  (ground) => {
    const frame = wsBytes(opcode, payload());
    const copies = Math.max(1, Math.floor(65_536 / frame.length));
    const blob = Buffer.concat(Array.from({ length: copies }, () => frame));
    const first = handshake(ground);
    return () => pour(ground, lines, { first, blob, answered: true });
  };

const member = (name: string, limit: number) => (): Buffer => texts[name]?.(limit) ?? Buffer.alloc(0);

/** Messages of doors that are sockets. */
export const socketShapes: Readonly<Record<string, Shape>> = {
  'socket: tiny texts': poured(text, () => Buffer.from('{"t":1}'), 1),
  'socket: no JSON': poured(text, () => Buffer.from('{'), 1),
  'socket: tiny texts, many sockets': poured(text, () => Buffer.from('{"t":1}'), 50),
  'socket: long texts': poured(text, member('many members', 60_000)),
  'socket: texts of 1 MiB': poured(text, member('many objects', 1_000_000)),
  'socket: noise': poured(binary, () => randomBytes(1_000)),
  'socket: pictures': poured(binary, () => picture(400_000)),
  'socket: small pictures': poured(binary, () => picture(40)),
  'socket: pings': poured(ping, () => Buffer.from('p')),
  // Never the last one.
  'socket: fragments': (ground) => {
    const part = wsBytes(0, Buffer.from('x'), { fin: false });
    const blob = Buffer.concat(Array.from({ length: 5_000 }, () => part));
    const first = Buffer.concat([handshake(ground), wsBytes(text, Buffer.from('{'), { fin: false })]);
    return () => pour(ground, 4, { first, blob, answered: true });
  },
  'socket: messages left open': (ground) => {
    const part = wsBytes(binary, Buffer.alloc(4_000_000), { fin: false });
    const first = Buffer.concat([handshake(ground), part]);
    return () => hold(ground, 90, first);
  },
  'socket: opened and closed': (ground) => {
    const first = handshake(ground);
    return () => repeat(ground, 16, () => first);
  },
  'socket: unread': (ground) => {
    const first = handshake(ground);
    return async () => {
      const sockets = await Promise.all(Array.from({ length: 150 }, () => ground.open()));
      for (const socket of sockets) {
        socket?.pause();
        socket?.write(first);
        ground.count('unread');
      }
      await sleep(ground.leftMs);
    };
  },
};

/** A PNG as far as a hub reads it. */
function picture(bytes: number): Buffer {
  const png = Buffer.alloc(bytes);
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  png.write('IHDR', 12, 'latin1');
  png.writeUInt32BE(640, 16);
  png.writeUInt32BE(480, 20);
  return png;
}
