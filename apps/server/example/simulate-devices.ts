import { setTimeout as sleep } from 'node:timers/promises';
import { movingPicture } from './moving-picture.ts';

/** Between two pictures; a reading goes with every tenth. */
const everyMs = 500;

/**
 * Plays the devices of the desk: sends moving pictures and readings over HTTP, as a real one would with its key.
 *
 * @returns stops it
 */
export function simulateDevices(url: string, key: string): () => void {
  const over = new AbortController();
  const send = async (path: string, type: string, body: Uint8Array<ArrayBuffer> | string): Promise<void> => {
    const headers = { 'x-api-key': key, 'content-type': type };
    const response = await fetch(`${url}/devices/${path}`, {
      method: 'POST',
      headers,
      body,
      signal: over.signal,
    });
    await response.body?.cancel();
  };
  const play = async (): Promise<void> => {
    for (let n = 0; !over.signal.aborted; n++) {
      await send('lobby/frames', 'image/png', movingPicture(Date.now()));
      if (n % 10 === 0) await send('thermometer/telemetry', 'application/json', reading(Date.now()));
      await sleep(everyMs, undefined, { signal: over.signal, ref: false });
    }
  };
  // A device that cannot send has nobody to tell; it is seen as offline.
  play().catch(() => {});
  return () => over.abort();
}

/** Warmer in the afternoon. */
function reading(atMs: number): string {
  const wave = Math.sin((atMs / 86_400_000) * 2 * Math.PI);
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  return JSON.stringify({ celsius: rounded(21 - 3 * wave), humidity: rounded(45 + 5 * wave) });
}
