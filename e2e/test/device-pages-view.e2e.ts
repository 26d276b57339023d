import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { camera, sensor } from '@waymark/device-hub';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  accessibilityFaults,
  isWiderThanItsWindow,
  launchBrowser,
  looks,
  openDevicePage,
} from './device-pages.ts';
import {
  drawPicture,
  factsOf,
  film,
  noteShown,
  type Sender,
  sendFrame,
  sendReading,
} from './device-pages-film.ts';
import { keys, openYard, type Yard } from './hub-client-yard.ts';
import { picture as withoutContent } from './hub-pictures.ts';

const executablePath = inject('chromium');

/** Promised is a quarter of a second at 30 pictures a second on one machine; a busy machine has three times as long. */
const mostAgeMs = 750;

describe.skipIf(executablePath === '')('the page that shows a device', () => {
  const devices = [camera('door', { maxFps: 1_000, description: 'the front door' }), sensor('rain-gauge')];
  let yard: Yard;
  let browser: Browser;
  let picture: Buffer;
  let sender: Sender;
  beforeAll(async () => {
    yard = await openYard({ devices });
    sender = { url: yard.url, key: keys.operator };
    browser = await launchBrowser(executablePath);
    picture = await drawPicture(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await yard.close();
  });

  const open = async (device = 'door', look = {}) => {
    const address = new URL(`/devices/${device}/view`, yard.url).href;
    const opened = await openDevicePage(browser, address, { key: keys.viewer, ...look });
    await expect.poll(() => stateOf(opened.page)).not.toMatch(/refused|connecting/);
    return opened;
  };
  const stateOf = (page: Page) => page.locator('.badge').getAttribute('data-state');
  const closed = (page: Page) => page.context().close();

  it('shows each picture or counts it, none of them old', async () => {
    verifies('device.view');
    const { page, faults } = await open();
    const before = await factsOf(page);
    const noted = await noteShown(page);
    const sent = await film(sender, picture, { fps: 30, frames: 90 });
    await expect
      .poll(async () => {
        const { Shown = '', Skipped = '' } = await factsOf(page);
        return Number(Shown) + Number(Skipped) - Number(before['Shown']) - Number(before['Skipped']);
      })
      .toBe(90);
    expect((await factsOf(page))['Broken']).toBeUndefined();
    const ages = (await noted()).map(({ seq, atMs }) => atMs - (sent.get(seq) ?? 0));
    expect(ages.length).toBeGreaterThan(30);
    expect(Math.max(...ages)).toBeLessThan(mostAgeMs);
    // In order, each once.
    const seqs = (await noted()).map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(await stateOf(page)).toBe('live');
    expect(await page.locator('.description').innerText()).toBe('the front door');
    expect(faults.filter((fault) => fault !== 'the key stands in an address')).toEqual([]);
    await closed(page);
  });

  it('shows nothing old when it stood still for three seconds', async () => {
    const { page } = await open();
    const noted = await noteShown(page);
    const filmed = film(sender, picture, { fps: 30, frames: 180 });
    await expect.poll(async () => (await noted()).length).toBeGreaterThan(5);
    // While a picture is decoded, which is old when that is done.
    await page.evaluate(standStill(3_000));
    const backAtMs = await page.evaluate<number>('back');
    const sent = await filmed;
    await expect
      .poll(async () => (await noted()).some(({ seq }) => seq === Math.max(...sent.keys())))
      .toBe(true);
    const after = (await noted()).filter(({ atMs }) => atMs >= backAtMs);
    expect(after.length).toBeGreaterThan(5);
    const ages = after.map(({ seq, atMs }) => atMs - (sent.get(seq) ?? 0));
    expect(Math.max(...ages)).toBeLessThan(mostAgeMs * 2);
    // Where nothing newer came, the old one is what there is.
    await page.evaluate(standStill(1_000));
    const last = await sendFrame(sender, picture);
    await page.getByRole('img', { name: `Picture ${last} of door` }).waitFor();
    await closed(page);
  });

  it('says so of what is no picture, and shows the next one', async () => {
    const { page, faults } = await open();
    await sendFrame(sender, picture);
    await sendFrame(sender, withoutContent());
    await expect.poll(async () => (await factsOf(page))['Broken']).toBe('1');
    await sendFrame(sender, picture);
    // Shown once more where the page had to connect again.
    await expect.poll(async () => Number((await factsOf(page))['Shown'])).toBeGreaterThanOrEqual(2);
    expect(faults.filter((fault) => fault !== 'the key stands in an address')).toEqual([]);
    await closed(page);
  });

  it('asks for no pictures while nobody looks, and goes on by itself', async () => {
    const { page } = await open();
    const opened: string[] = [];
    page.on(
      'websocket',
      (socket) => void opened.push(new URL(socket.url()).searchParams.get('frames') ?? 'full'),
    );
    const hide = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await hide(true);
    await expect.poll(() => opened).toEqual(['meta']);
    const { Shown } = await factsOf(page);
    await film(sender, picture, { fps: 30, frames: 10 });
    expect((await factsOf(page))['Shown']).toBe(Shown);
    await hide(false);
    await expect.poll(() => opened).toEqual(['meta', 'full']);
    await expect.poll(async () => Number((await factsOf(page))['Shown'])).toBe(Number(Shown) + 1);
    expect((await factsOf(page))['Skipped']).toBe('0');
    await closed(page);
  });

  it('pauses, saves the very picture, and fills its screen by keys', async () => {
    const { page } = await open();
    const seq = await sendFrame(sender, picture);
    await page.getByRole('img', { name: `Picture ${seq} of door` }).waitFor();
    await page.keyboard.press('Space');
    expect(await stateOf(page)).toBe('paused');
    await sendFrame(sender, picture.subarray());
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('s')]);
    expect(download.suggestedFilename()).toBe(`door-${seq}.jpg`);
    expect(readFileSync(await download.path()).equals(picture)).toBe(true);
    await page.keyboard.press('Space');
    await page.getByRole('img', { name: `Picture ${seq + 1} of door` }).waitFor();
    await page.keyboard.press('f');
    await expect.poll(() => page.evaluate('document.fullscreenElement?.className')).toContain('stage');
    await page.keyboard.press('f');
    await expect.poll(() => page.evaluate('document.fullscreenElement')).toBe(null);
    await page.getByRole('button', { name: 'Real size' }).click();
    expect(await page.evaluate("document.querySelector('canvas').clientWidth")).toBe(640);
    await closed(page);
  });

  it('shows the readings of a sensor, without a picture', async () => {
    const { page } = await open('rain-gauge');
    expect(await stateOf(page)).toBe('offline');
    for (const mm of [1, 2, 3]) await sendReading(sender, 'rain-gauge', { mm, battery: { level: 0.5 } });
    await page.getByText('battery.level').waitFor();
    await expect.poll(() => page.locator('.readings').innerText()).toBe('mm\n3\nbattery.level\n0.5');
    await expect.poll(() => stateOf(page)).toBe('live');
    await page.getByRole('img', { name: 'the last 3: from 1 to 3' }).waitFor();
    expect(await page.locator('.picture').isVisible()).toBe(false);
    expect(await page.getByRole('link').count()).toBe(0);
    // A newcomer is told how old the newest is.
    await wait(2_000);
    const { page: later } = await open('rain-gauge');
    await expect.poll(() => later.locator('.card-head').innerText()).toMatch(/[2-9](?:\.\d)? s ago/);
    await closed(page);
    await closed(later);
  });

  it('works where the hub is mounted below a path', async () => {
    const mounted = await openYard({ devices, mountPath: '/yard' });
    const url = new URL('/yard', mounted.url).href;
    const { page, faults } = await openDevicePage(browser, `${url}/devices/door/view`, { key: keys.viewer });
    const seq = await sendFrame({ url, key: keys.operator }, picture);
    await page.getByRole('img', { name: `Picture ${seq} of door` }).waitFor();
    expect(faults.filter((fault) => fault !== 'the key stands in an address')).toEqual([]);
    await closed(page);
    await mounted.close();
  });

  it.each(looks)('can be used by everybody, $name', async ({ dark, width }) => {
    const { page, faults } = await open('door', { width });
    await sendReading(sender, 'door', { celsius: 21, note: 'x'.repeat(500) });
    await sendFrame(sender, picture);
    for (const state of ['live', 'stale', 'paused']) {
      if (state === 'paused') await page.getByRole('button', { name: 'Pause' }).click();
      await expect.poll(() => stateOf(page)).toBe(state);
      expect([state, await accessibilityFaults(page, dark)]).toEqual([state, []]);
      expect(await isWiderThanItsWindow(page)).toBe(false);
    }
    expect(faults.filter((fault) => fault !== 'the key stands in an address')).toEqual([]);
    await closed(page);
  });
});

/** Has a page stand still as soon as it has decoded its next picture; `back` there is when that is over. */
function standStill(forMs: number): string {
  return `globalThis.back = new Promise((resolve) => {
    const decode = createImageBitmap;
    globalThis.createImageBitmap = async (image) => {
      globalThis.createImageBitmap = decode;
      const bitmap = await decode(image);
      const untilMs = performance.now() + ${forMs};
      while (performance.now() < untilMs);
      resolve(Date.now());
      return bitmap;
    };
  }), 0`;
}
