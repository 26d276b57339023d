import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ground } from '../ground.ts';
import { Line } from '../line.ts';

/** Sends one request after the other on each of several connections, each once the last was answered. */
export async function repeat(ground: Ground, lines: number, next: (n: number) => Buffer): Promise<void> {
  let n = 0;
  const work = async (): Promise<void> => {
    let line: Line | undefined;
    while (!ground.isOver) {
      if (!line?.isOpen) line = await Line.open(ground);
      if (!line) {
        await sleep(10);
        continue;
      }
      line.socket.write(next(n++));
      ground.count('sent');
      ground.count(await line.answer(ground));
    }
  };
  await Promise.all(Array.from({ length: lines }, work));
}

/**
 * Opens connections, sends something on each and leaves it so; one that is closed is opened again.
 *
 * @param more is sent again and again while it lasts, every so many milliseconds
 */
export async function hold(
  ground: Ground,
  lines: number,
  first: Buffer,
  more?: { readonly bytes: Buffer; readonly everyMs: number },
): Promise<void> {
  const work = async (): Promise<void> => {
    while (!ground.isOver) {
      const socket = await ground.open();
      if (socket) {
        socket.resume();
        socket.once('data', (chunk) => ground.count(chunk.subarray(9, 12).toString('latin1')));
        socket.write(first);
        ground.count('held');
        while (!socket.destroyed && !ground.isOver) {
          await sleep(Math.min(more?.everyMs ?? 50, ground.leftMs));
          if (more && socket.writable) socket.write(more.bytes);
        }
      }
      await sleep(Math.min(20, ground.leftMs));
    }
  };
  await Promise.all(Array.from({ length: lines }, work));
}

/**
 * Opens connections and pours the same bytes into each, as fast as it takes them; one that is closed is opened again.
 *
 * @param first what opens it, after which an answer is waited for where `answered`
 */
export async function pour(
  ground: Ground,
  lines: number,
  {
    first,
    blob,
    answered = false,
  }: { readonly first: Buffer; readonly blob: Buffer; readonly answered?: boolean },
): Promise<void> {
  const work = async (): Promise<void> => {
    while (!ground.isOver) {
      const socket = await ground.open();
      if (socket) {
        socket.write(first);
        if (answered) await told(socket, ground);
        // What comes back is read, so that nothing else holds the flood up.
        socket.resume();
        await pourInto(ground, socket, blob);
      }
      await sleep(Math.min(5, ground.leftMs));
    }
  };
  await Promise.all(Array.from({ length: lines }, work));
}

async function pourInto(ground: Ground, socket: Socket, blob: Buffer): Promise<void> {
  while (!ground.isOver && !socket.destroyed && socket.writable) {
    const room = socket.write(blob);
    ground.count('poured');
    if (!room) await Promise.race([event(socket, 'drain'), event(socket, 'close'), sleep(ground.leftMs)]);
    else await new Promise(setImmediate);
  }
}

/** Waits for the first bytes, and notes the status in them. */
async function told(socket: Socket, ground: Ground): Promise<void> {
  const first = await Promise.race([event(socket, 'data'), event(socket, 'close'), sleep(ground.leftMs)]);
  if (Buffer.isBuffer(first)) ground.count(first.subarray(9, 12).toString('latin1'));
}

function event(socket: Socket, name: string): Promise<unknown> {
  return new Promise((resolve) => {
    socket.once(name, resolve);
  });
}
