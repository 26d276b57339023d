import { crc32, deflateSync } from 'node:zlib';

export const width = 320;
export const height = 180;
const radius = 24;

/**
 * Draws a ball that moves through a room: what a camera with nothing better to do would see.
 *
 * @param atMs when; the ball needs eight seconds from wall to wall and back
 * @returns a PNG
 */
export function movingPicture(atMs: number): Uint8Array<ArrayBuffer> {
  const turn = (atMs % 8_000) / 8_000;
  const x = radius + (width - 2 * radius) * Math.abs(2 * turn - 1);
  const y = height - radius - (height - 2 * radius) * Math.abs(Math.sin(turn * 4 * Math.PI));
  // Each line begins with its filter: none.
  const lines = Buffer.alloc(height * (width + 1));
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const inside = (column - x) ** 2 + (row - y) ** 2 < radius ** 2;
      lines[row * (width + 1) + column + 1] = inside ? 230 : 40 + (row >> 1);
    }
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header()),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Eight bits of grey for each pixel. */
function header(): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(width, 0);
  bytes.writeUInt32BE(height, 4);
  bytes.writeUInt8(8, 8);
  return bytes;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
