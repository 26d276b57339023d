import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

/** Lets a process open so many more files and connections, and no others. @returns lets it open as many as before */
export function limitDescriptors(pid: number, more: number): () => void {
  const set = (limit: number | string): unknown =>
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
  const [, before = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  // The limit is not how many are open, but the first number that is not given.
  let limit = 0;
  for (let free = 0; free <= more; limit++) if (!open.has(limit)) free++;
  set(limit - 1);
  return () => set(before);
}

/** Clients that connect and say nothing. */
export interface Crowd {
  /** How many of them were cut off. */
  readonly cut: () => number;
  leave(): void;
}

/** Lets so many connect. */
export async function gather(port: number, size: number): Promise<Crowd> {
  let cut = 0;
  const sockets = await Promise.all(
    Array.from(
      { length: size },
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(socket));
          socket.on('error', () => {});
          socket.once('close', () => {
            cut++;
            resolve(socket);
          });
        }),
    ),
  );
  return {
    cut: () => cut,
    leave: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
