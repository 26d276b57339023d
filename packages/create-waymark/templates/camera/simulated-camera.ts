import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';

const width = 320;
const height = 180;
const radius = 24;

/** Starts a camera on this machine that shows a ball in a yard. @returns the address of its picture */
export async function startSimulatedCamera(): Promise<string> {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'image/png').end(ballInTheYard(Date.now())),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It ends with whoever started it.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/still.png`;
}

/** Draws a PNG: the ball needs eight seconds from wall to wall and back. */
function ballInTheYard(atMs: number): Buffer {
  const turn = (atMs % 8_000) / 8_000;
  const x = radius + (width - 2 * radius) * Math.abs(2 * turn - 1);
  const y = height - radius - (height - 2 * radius) * Math.abs(Math.sin(turn * 4 * Math.PI));
  // Eight bits of grey; each line begins with its filter: none.
  const lines = Buffer.alloc(height * (width + 1));
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const inside = (column - x) ** 2 + (row - y) ** 2 < radius ** 2;
      lines[row * (width + 1) + column + 1] = inside ? 230 : 40 + (row >> 1);
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...[chunk('IHDR', header), chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))],
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
