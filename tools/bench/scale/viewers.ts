import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { key } from './server.ts';

/** A camera over a socket, and those who watch it. */
export interface Viewers {
  /** Sends a frame, and waits until each has it. */
  show(frame: Uint8Array): Promise<void>;
  close(): void;
}

const frameMs = 3;

/** Opens the socket of a camera and as many of viewers. */
export async function openViewers(url: string, count: number): Promise<Viewers> {
  const open = async (path: string): Promise<WebSocket> => {
    const socket = new WebSocket(new URL(path, url.replace('http', 'ws')), { headers: { 'x-api-key': key } });
    await once(socket, 'open');
    return socket;
  };
  const camera = await open('/devices/door/ws');
  const viewers = await Promise.all(Array.from({ length: count }, () => open('/devices/door/stream')));
  return {
    async show(frame) {
      const shown = viewers.map(
        (viewer) =>
          new Promise<void>((resolve) => {
            const look = (_: unknown, binary: boolean): void => {
              if (!binary) return;
              viewer.off('message', look);
              resolve();
            };
            viewer.on('message', look);
          }),
      );
      camera.send(frame);
      await Promise.all(shown);
      await sleep(frameMs);
    },
    close() {
      for (const socket of [camera, ...viewers]) socket.terminate();
    },
  };
}
