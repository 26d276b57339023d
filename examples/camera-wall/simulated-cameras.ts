import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateSync } from 'node:zlib';

const width = 160;
const height = 90;

/** Starts cameras on this machine, each with a bar that moves at its own pace. @returns the addresses of their pictures */
export async function startSimulatedCameras(count: number): Promise<readonly string[]> {
  const server = createServer(({ url = '/1' }, response) =>
    response.setHeader('content-type', 'image/png').end(draw(Date.now(), Number(url.slice(1)))),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // They end with whoever started them.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return Array.from({ length: count }, (_, i) => `http://127.0.0.1:${port}/${i + 1}`);
}

/** Draws a PNG in eight bits of grey; each line begins with its filter: none. */
function draw(atMs: number, pace: number): Buffer {
  const bar = Math.floor((atMs * pace) / 50) % width;
  const lines = Buffer.alloc(height * (width + 1));
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      lines[row * (width + 1) + column + 1] = Math.abs(column - bar) < 6 ? 230 : 40 + row;
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
