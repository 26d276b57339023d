import { movingPicture } from './moving-picture.ts';

/** Between two pictures. */
const everyMs = 500;

/** Between two readings. */
const readingEveryMs = 5_000;

/** Before a line that broke is taken up again. */
const againMs = 1_000;

/**
 * Plays the devices of the desk: sends moving pictures and readings, each over a socket of its own, as a real device would with
 * its key.
 *
 * @returns stops it
 */
export function simulateDevices(url: string, key: string): () => void {
  const stops = [
    keepSending(`${url}/devices/lobby/ws`, key, everyMs, () => movingPicture(Date.now())),
    keepSending(`${url}/devices/thermometer/ws`, key, readingEveryMs, () => reading(Date.now())),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** A device that cannot send has nobody to tell; it is seen as offline, and tries again. */
function keepSending(
  url: string,
  key: string,
  ms: number,
  next: () => Uint8Array<ArrayBuffer> | string,
): () => void {
  const address = new URL(url.replace(/^http/, 'ws'));
  address.searchParams.set('access_token', key);
  let timer: NodeJS.Timeout | undefined;
  let socket: WebSocket | undefined;
  const open = (): void => {
    const current = new WebSocket(address);
    socket = current;
    const send = (): void => current.send(next());
    current.onopen = () => {
      send();
      timer = setInterval(send, ms).unref();
    };
    current.onclose = () => {
      clearInterval(timer);
      timer = setTimeout(open, againMs).unref();
    };
  };
  open();
  return () => {
    if (socket) socket.onclose = null;
    clearInterval(timer);
    socket?.close();
  };
}

/** Warmer in the afternoon. */
function reading(atMs: number): string {
  const wave = Math.sin((atMs / 86_400_000) * 2 * Math.PI);
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  return JSON.stringify({ celsius: rounded(21 - 3 * wave), humidity: rounded(45 + 5 * wave) });
}
