import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import type { RunningApplication } from '@waymark/server';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { swollenPictures, withoutWorkers } from './device-connect-scripts.ts';
import {
  type ConnectTab,
  fakeCamera,
  keys,
  listed,
  openConnect,
  openStage,
  type StageOptions,
} from './device-connect-stage.ts';
import { launchBrowser } from './device-pages.ts';
import { heldPort } from './held-port.ts';
import { openReader } from './hub-reader.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === '')('a camera of a browser that is a device', () => {
  let browser: Browser;
  let server: RunningApplication | undefined;
  let tab: ConnectTab | undefined;
  beforeAll(async () => {
    browser = await launchBrowser(executablePath, fakeCamera);
  });
  afterEach(async () => {
    // Whatever a page went through, it broke no rule of its own.
    if (tab && tab.faults.length > 0) throw new Error(tab.faults.join('\n'));
    await tab?.page.context().close();
    tab = undefined;
    await server?.close();
    server = undefined;
  });
  afterAll(() => browser?.close());

  /** Serves, and opens the page with a key. */
  async function open(options: StageOptions = {}, key: string = keys.operator) {
    server = await openStage(options);
    tab = await openConnect(browser, server.url, { key });
    return { url: server.url, port: Number(new URL(server.url).port), tab };
  }

  it('sends what the camera sees, and says what the hub has taken', async () => {
    verifies('device.connect');
    const { url, port, tab } = await open();
    const reader = openReader({ port, target: `/devices/door/stream?access_token=${keys.viewer}` });
    await reader.until(({ hello }) => hello !== undefined);
    expect(await tab.page.evaluate('location.hash')).toBe('');
    await tab.start('1280x720');
    await expect.poll(() => tab.taken()).toBeGreaterThan(60);
    // A busy machine brings some late and together, which the hub may refuse.
    await expect.poll(() => tab.badge(), { timeout: 45_000 }).toBe('Sending');
    // JPEGs are made beside the page.
    expect(tab.page.workers()).toHaveLength(1);
    await expect
      .poll(() => tab.sentence(), { timeout: 45_000 })
      .toBe('Frames arrive: this camera is the device now.');
    const perSecond = await tab.figure('Frames a second');
    expect(perSecond).toBeGreaterThan(3);
    expect(perSecond).toBeLessThan(12);
    expect(await tab.figure('KB a frame')).toBeGreaterThan(2);
    await tab.stop();
    const taken = await tab.taken();
    // None of a camera that keeps to its rate; a busy machine brings some late and together.
    expect(await tab.figure('Refused by the hub')).toBeLessThan(taken / 10);
    await expect.poll(async () => (await listed(url))['frames_in']).toBeGreaterThanOrEqual(taken);
    const { frames_in: published, latest } = await listed(url);
    // What was on its way at that moment came, too, though nobody waited for its receipts.
    expect(Number(published) - taken).toBeLessThanOrEqual(8);
    await reader.until(({ frames, told }) => frames.length + told === published);
    expect(latest).toMatchObject({ media_type: 'image/jpeg' });
    expect(await tab.badge()).toBe('Ready');
    // The camera is off: no light burns.
    expect(await tab.page.evaluate("document.querySelector('video').srcObject")).toBeNull();
  });

  it('asks for a key, and says what is wrong with one', async () => {
    verifies('device.connect');
    server = await openStage();
    tab = await openConnect(browser, server.url);
    const { page } = tab;
    const enter = async (key: string) => {
      await page.getByLabel('Key', { exact: true }).fill(key);
      await page.keyboard.press('Enter');
    };
    await page.getByText('A key is needed').first().waitFor();
    await enter('no-key-of-this-application');
    await page.getByText('This key is not known').first().waitFor();
    await enter(keys.viewer);
    await page.getByText('This key may not do that').first().waitFor();
    await enter(keys.operator);
    await tab.start();
    await expect.poll(() => tab?.taken()).toBeGreaterThan(5);
  });

  it('can be worked by keyboard alone', async () => {
    const { tab } = await open();
    const { page } = tab;
    await page.getByRole('button', { name: 'Start' }).waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    for (let i = 0; i < 5 && (await focused()) !== 'Start'; i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => tab.taken()).toBeGreaterThan(5);
    expect(await focused()).toBe('Stop');
    await page.keyboard.press('Enter');
    await expect.poll(() => tab.badge()).toBe('Ready');
  });

  it('has no page for a sensor, nor for a device that is not there', async () => {
    const { url, tab } = await open();
    for (const name of ['thermo', 'nothing'])
      expect((await fetch(`${url}/devices/${name}/connect`)).status).toBe(404);
    // One that was there when the page was loaded.
    const { port } = new URL(url);
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(0);
    await server?.close();
    server = await openStage({ port: Number(port), door: null });
    await tab.page.getByText('There is no such device').first().waitFor();
  });

  it('asks for another key when the one that it has is withdrawn', async () => {
    const { url, tab } = await open();
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(0);
    await tab.page.evaluate("[track] = document.querySelector('video').srcObject.getTracks()");
    await server?.close();
    server = await openStage({ port: Number(new URL(url).port), knowsOperator: false });
    await tab.page.getByRole('heading', { name: 'This key is no longer valid' }).waitFor();
    // Nothing films any more.
    expect(await tab.page.evaluate('track.readyState')).toBe('ended');
  });

  it('is not left by mistake while it sends', async () => {
    const { tab } = await open();
    const { page } = tab;
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(0);
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => asked).toEqual(['beforeunload']);
    const taken = await tab.taken();
    await expect.poll(() => tab.taken()).toBeGreaterThan(taken);
    await tab.stop();
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => page.isClosed()).toBe(true);
    expect(asked).toHaveLength(1);
  });

  it('goes on by itself after a restart of the server', async () => {
    verifies('device.connect');
    const { url, tab } = await open();
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(5);
    await server?.close();
    await expect.poll(() => tab.sentence()).toMatch(/connection to the hub is lost/);
    expect(await tab.badge()).toBe('Waiting');
    server = await openStage({ port: Number(new URL(url).port) });
    await expect.poll(() => tab.badge(), { timeout: 45_000 }).toBe('Sending');
    const before = await tab.taken();
    await expect.poll(() => tab.taken()).toBeGreaterThan(before + 5);
    expect(Number((await listed(url))['frames_in'])).toBeGreaterThan(5);
  });

  it('goes on by itself after ten seconds without a network, and sends nothing old', async () => {
    verifies('device.connect');
    server = await openStage();
    const port = Number(new URL(server.url).port);
    await using line = await heldPort(port);
    tab = await openConnect(browser, `http://127.0.0.1:${line.port}`, { key: keys.operator });
    const reader = openReader({ port, target: `/devices/door/stream?access_token=${keys.viewer}` });
    await tab.start();
    await expect.poll(() => tab?.taken()).toBeGreaterThan(20);
    line.hold();
    const heldMs = Date.now();
    await expect.poll(() => tab?.sentence()).toMatch(/connection to the hub is lost/);
    await sleep(Math.max(0, heldMs + 10_000 - Date.now()));
    const releasedMs = Date.now();
    line.release();
    await expect.poll(() => tab?.badge(), { timeout: 45_000 }).toBe('Sending');
    await reader.until(({ frames }) => (frames.at(-1)?.publishedMs ?? 0) > releasedMs + 1_000);
    // What the line still held when it came back is not published any more.
    const late = reader.frames.filter(({ publishedMs }) => publishedMs > heldMs + 1_000);
    expect(late[0]?.publishedMs).toBeGreaterThan(releasedMs);
    await tab.page.context().setOffline(true);
    await sleep(3_000);
    await tab.page.context().setOffline(false);
    const taken = await tab.taken();
    await expect.poll(() => tab?.taken()).toBeGreaterThan(taken + 5);
  });

  it('sends less sharply, then less often, over a slow line, and tells that it does', async () => {
    server = await openStage();
    await using line = await heldPort(Number(new URL(server.url).port));
    tab = await openConnect(browser, `http://127.0.0.1:${line.port}`, { key: keys.operator });
    await tab.page.getByLabel('Frames a second').selectOption('30');
    await tab.start();
    await expect.poll(() => tab?.taken()).toBeGreaterThan(5);
    let isSlow = true;
    const slow = (async () => {
      while (isSlow) {
        line.hold();
        await sleep(1_000);
        line.release();
        await sleep(5);
      }
    })();
    await expect.poll(() => tab?.sentence()).toMatch(/line is slow/);
    await expect.poll(() => tab?.figure('Sharpness')).toBeLessThan(60);
    expect(await tab.figure('Left out, slow line')).toBeGreaterThan(5);
    isSlow = false;
    await slow;
    await expect.poll(() => tab?.sentence(), { timeout: 60_000 }).toMatch(/this camera is the device now/);
  });

  it('slows down where somebody else sends as the same device, and says so', async () => {
    const { url, tab } = await open({ door: { maxFps: 5 } });
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(3);
    let isSending = true;
    const other = (async () => {
      const body = Uint8Array.from(atob('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='), (c) => c.charCodeAt(0));
      while (isSending) {
        const headers = { 'x-api-key': keys.operator };
        await fetch(`${url}/devices/door/frames`, { method: 'POST', headers, body });
        await sleep(50);
      }
    })();
    await expect.poll(() => tab.sentence()).toMatch(/somebody else sends/);
    expect(await tab.sentence()).toContain('a device takes 5 frames a second');
    expect(await tab.figure('Refused by the hub')).toBeGreaterThan(0);
    await expect
      .poll(() => tab.page.locator('.reasons li').first().textContent())
      .toMatch(/5 frames a second/);
    isSending = false;
    await other;
    await expect.poll(() => tab.badge(), { timeout: 45_000 }).toBe('Sending');
  });

  it('makes frames smaller for a hub that takes little ones', async () => {
    const { url, tab } = await open({ door: { maxFrameBytes: 9_000 } });
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(5);
    expect((await listed(url))['latest']).toMatchObject({ bytes: expect.any(Number) });
    expect(await tab.figure('Sharpness')).toBeLessThan(80);
    expect(await tab.page.locator('.reasons').textContent()).toMatch(/a frame has 9000 bytes at most/);
  });

  it('makes frames smaller where they are so large that the connection ends, without a worker, too', async () => {
    const { tab } = await open({ door: { maxFrameBytes: 9_000 } });
    await tab.page.addInitScript(withoutWorkers);
    await tab.page.addInitScript(swollenPictures);
    await tab.page.reload();
    await tab.start();
    await expect.poll(() => tab.page.locator('.reasons').textContent()).toMatch(/larger than the hub takes/);
    await expect.poll(() => tab.taken()).toBeGreaterThan(5);
  });
});
