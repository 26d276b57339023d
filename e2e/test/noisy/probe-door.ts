import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../authority/callers.ts';
import { Connection, type Header, toBytes, type WireRequest } from '../wire/connection.ts';

/** Sizes of bodies, the largest first, by which doors differ. */
const sizes = [31, 8, 1].map((mebibytes) => mebibytes * 1024 * 1024);
const least = 60_000;

/** How long a door may take to say that it reads no such body, and that it is a socket. */
const graceMs = { tooLarge: 150, socket: 1_000 } as const;

/** Finds the largest body that a door begins to read: one that is too large is refused when it is announced. */
export async function probeLimit(
  port: number,
  method: string,
  target: string,
  { headers }: Caller,
): Promise<number> {
  for (const size of sizes) {
    const announced: readonly Header[] = [
      ...headers,
      ['content-type', 'application/json'],
      ['content-length', String(size)],
    ];
    const status = await statusIn(graceMs.tooLarge, port, { method, target, headers: announced });
    if (status !== 413) return size;
  }
  return least;
}

/** Tells whether a path leads to sockets alone, which it says to anybody. */
export async function probeSocket(port: number, target: string): Promise<boolean> {
  return (await statusIn(graceMs.socket, port, { target })) === 426;
}

/** What is answered within so many milliseconds; undefined for a door that takes its time, or never ends. */
async function statusIn(ms: number, port: number, request: WireRequest): Promise<number | undefined> {
  const connection = await Connection.open(port);
  connection.send(toBytes(request));
  const answer = await Promise.race([connection.next(), sleep(ms)]);
  connection.close();
  return answer?.status;
}
