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

describe.skipIf(executablePath === '')('a camera of a browser, where the line or the hub takes less', () => {
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
  async function open(options: StageOptions = {}) {
    server = await openStage(options);
    tab = await openConnect(browser, server.url, { key: keys.operator });
    return { url: server.url, tab };
  }

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
