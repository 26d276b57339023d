import { once } from 'node:events';
import { key } from '../server.ts';

const fps = 30;

/**
 * The median of the milliseconds from when a device sends a picture to one server until a reader of another has it, at 30 a
 * second.
 */
export async function deliveryMs(
  sender: string,
  reader: string,
  bytes: Uint8Array,
  frames: number,
): Promise<number> {
  const stream = await open(reader, '/devices/door/stream?replay=0');
  const device = await open(sender, '/devices/door/ws');
  const ages: number[] = [];
  let sentMs = 0;
  let heard = (): void => {};
  stream.addEventListener('message', ({ data }: MessageEvent) => {
    if (typeof data === 'string') return;
    ages.push(performance.now() - sentMs);
    heard();
  });
  for (let i = 0; i < frames; i++) {
    const came = new Promise<void>((resolve) => {
      heard = resolve;
    });
    sentMs = performance.now();
    device.send(bytes);
    await came;
    await new Promise((resolve) =>
      setTimeout(resolve, Math.max(0, 1_000 / fps - (performance.now() - sentMs))),
    );
  }
  for (const socket of [stream, device]) socket.close();
  return ages.sort((a, b) => a - b)[Math.floor(ages.length / 2)] ?? Number.NaN;
}

async function open(url: string, target: string): Promise<WebSocket> {
  const address = new URL(target, url.replace('http', 'ws'));
  address.searchParams.set('access_token', key);
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  // Its greeting.
  await once(socket, 'message');
  return socket;
}
