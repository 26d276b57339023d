import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';

/** Who sends, and where. */
export interface Sender {
  readonly url: string;
  readonly key: string;
}

/** Draws a picture that every browser can show, as a JPEG. */
export async function drawPicture(browser: Browser, width = 640, height = 480): Promise<Buffer> {
  const page = await browser.newPage();
  const text = await page.evaluate(`(async () => {
    const canvas = new OffscreenCanvas(${width}, ${height});
    const context = canvas.getContext('2d');
    for (let i = 0; i < 40; i++) {
      context.fillStyle = 'hsl(' + i * 9 + ' 60% 60%)';
      context.fillRect(i * ${width / 40}, 0, ${width / 40}, ${height});
    }
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg' })).arrayBuffer());
    return btoa(String.fromCharCode(...bytes));
  })()`);
  await page.close();
  return Buffer.from(text as string, 'base64');
}

/** Sends one frame. @returns its number */
export async function sendFrame({ url, key }: Sender, picture: Buffer): Promise<number> {
  const response = await fetch(`${url}/devices/door/frames`, {
    method: 'POST',
    body: picture,
    headers: { 'x-api-key': key, 'content-type': 'image/jpeg' },
  });
  const { seq } = (await response.json()) as { readonly seq: number };
  return seq;
}

/** Sends a reading. */
export async function sendReading({ url, key }: Sender, device: string, reading: unknown): Promise<void> {
  await fetch(`${url}/devices/${device}/telemetry`, {
    method: 'POST',
    body: JSON.stringify(reading),
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
  });
}

/** Sends frames at a steady rate. @returns when each was sent, by the clock of this machine */
export async function film(
  sender: Sender,
  picture: Buffer,
  { fps, frames }: { readonly fps: number; readonly frames: number },
): Promise<ReadonlyMap<number, number>> {
  const sent = new Map<number, number>();
  for (let i = 0; i < frames; i++) {
    const atMs = Date.now();
    const [seq] = await Promise.all([sendFrame(sender, picture), wait(1000 / fps)]);
    sent.set(seq, atMs);
  }
  return sent;
}

/** What stands below the picture: `{ Age: '0.1 s', Shown: '12', … }`. */
export async function factsOf(page: Page): Promise<Readonly<Record<string, string>>> {
  const rows = await page.locator('.facts > div').allInnerTexts();
  return Object.fromEntries(rows.map((row) => row.split('\n') as [string, string]));
}

/** Notes, frame by frame of the screen, which picture a page shows and when. @returns what was noted */
export async function noteShown(page: Page): Promise<() => Promise<readonly Noted[]>> {
  await page.evaluate(`
    globalThis.noted = [];
    new MutationObserver(() => {
      const seq = /^Picture (\\d+) /.exec(document.querySelector('canvas').ariaLabel)?.[1];
      if (seq) noted.push({ seq: Number(seq), atMs: Date.now() });
    }).observe(document.querySelector('canvas'), { attributeFilter: ['aria-label'] });
  `);
  return () => page.evaluate('noted');
}

/** A picture that was shown. */
export interface Noted {
  readonly seq: number;
  /** By the clock of this machine, on which both ends are. */
  readonly atMs: number;
}
