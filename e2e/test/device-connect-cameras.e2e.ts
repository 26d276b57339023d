import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import type { RunningApplication } from '@waymark/server';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  battery,
  compareWithLatest,
  countWakeLocks,
  latestSize,
  setHidden,
  streamId,
  tilt,
  unplug,
} from './device-connect-scripts.ts';
import { type ConnectTab, fakeCamera, keys, openConnect, openStage } from './device-connect-stage.ts';
import { launchBrowser } from './device-pages.ts';

const executablePath = inject('chromium');
/** Asks people for permissions, which the headless shell never gives. */
const wholePath = inject('wholeChromium');

describe.skipIf(wholePath === '')('cameras of a browser', () => {
  let server: RunningApplication;
  const browsers: Browser[] = [];
  let tab: ConnectTab | undefined;
  beforeAll(async () => {
    server = await openStage();
  });
  afterEach(async () => {
    // Whatever a page went through, it broke no rule of its own.
    if (tab && tab.faults.length > 0) throw new Error(tab.faults.join('\n'));
    tab = undefined;
    for (const browser of browsers.splice(0)) await browser.close();
  });
  afterAll(() => server.close());

  async function open(
    flags: readonly string[],
    { url = server.url, path = executablePath } = {},
  ): Promise<ConnectTab> {
    const browser = await launchBrowser(path, flags);
    browsers.push(browser);
    tab = await openConnect(browser, url, { key: keys.operator });
    return tab;
  }

  it('that are not permitted: the page says what to do, and Start is there again', async () => {
    verifies('device.connect');
    const tab = await open(['--use-fake-device-for-media-stream=fps=15', '--deny-permission-prompts'], {
      path: wholePath,
    });
    await tab.start();
    await expect.poll(() => tab.sentence()).toMatch(/does not let this page use the camera. Allow it/);
    expect(await tab.badge()).toBe('Not sending');
    await tab.page.getByRole('button', { name: 'Start' }).waitFor();
    await tab.page.context().grantPermissions(['camera']);
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(3);
  });

  it('that are not there: the page says so', async () => {
    const tab = await open([
      '--use-fake-device-for-media-stream=device-count=0',
      '--use-fake-ui-for-media-stream',
    ]);
    await tab.start();
    await expect.poll(() => tab.sentence()).toMatch(/no camera here/);
  });

  it('of a page that is not safe: it says how to open it', async () => {
    const url = server.url.replace('127.0.0.1', 'camera.test');
    const tab = await open([...fakeCamera, '--host-resolver-rules=MAP camera.test 127.0.0.1'], { url });
    await expect.poll(() => tab.sentence()).toMatch(/open this page by https.*localhost/);
    expect(await tab.page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
  });

  it('that are unplugged come back by themselves, and never as another one', async () => {
    const tab = await open([
      '--use-fake-device-for-media-stream=device-count=2,fps=15',
      '--use-fake-ui-for-media-stream',
    ]);
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(3);
    const { page } = tab;
    const chosen = () => page.getByLabel('Camera', { exact: true }).inputValue();
    const before = await chosen();
    await page.evaluate(unplug);
    await expect.poll(() => tab.sentence()).toMatch(/camera gives no picture.*goes on by itself/);
    const taken = await tab.taken();
    await page.evaluate('plugIn()');
    await expect.poll(() => tab.taken()).toBeGreaterThan(taken + 3);
    expect(await chosen()).toBe(before);
    await expect.poll(() => tab.badge(), { timeout: 45_000 }).toBe('Sending');
  });

  it('that fall silent are opened anew', async () => {
    const tab = await open(fakeCamera);
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(3);
    const stream = () => tab.page.evaluate(streamId);
    const before = await stream();
    // As a phone does with a screen that was locked: the track lives and gives nothing.
    await tab.page.evaluate("document.querySelector('video').pause()");
    await expect.poll(stream).not.toBe(before);
    const taken = await tab.taken();
    await expect.poll(() => tab.taken()).toBeGreaterThan(taken + 3);
  });

  it('send about one picture a second while the page is hidden, and the page says so', async () => {
    const tab = await open(fakeCamera);
    await tab.page.evaluate(countWakeLocks);
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(3);
    const held = () => tab.page.evaluate('held');
    expect(await held()).toBe(1);
    await tab.page.evaluate(setHidden(true));
    await expect.poll(() => tab.sentence()).toMatch(/the background/);
    const taken = await tab.taken();
    // A video of a page that is really hidden gives no pictures; the browser itself is asked for these.
    await tab.page.evaluate("document.querySelector('video').pause()");
    await expect.poll(() => tab.taken()).toBeGreaterThan(taken + 2);
    await tab.page.evaluate("document.querySelector('video').play()");
    await tab.page.evaluate(setHidden(false));
    await expect.poll(() => tab.badge(), { timeout: 45_000 }).toBe('Sending');
    expect(await held()).toBe(2);
  });

  it('are chosen by name, size and side, and mirrored here and there apart from each other', async () => {
    const tab = await open([
      '--use-fake-device-for-media-stream=device-count=2,fps=15',
      '--use-fake-ui-for-media-stream',
    ]);
    const { page } = tab;
    await tab.start('320x240');
    await expect.poll(() => tab.taken()).toBeGreaterThan(1);
    const camera = page.getByLabel('Camera', { exact: true });
    const first = await camera.inputValue();
    await page.getByRole('button', { name: /Use the/ }).click();
    await expect.poll(() => camera.inputValue()).not.toBe(first);
    await page.getByLabel('Size').selectOption('640x480');
    const size = () => page.evaluate(latestSize(keys.operator));
    await expect.poll(size).toBe('640x480');

    const compare = () => page.evaluate(compareWithLatest(keys.operator));
    await expect.poll(compare).toBe('as it is');
    await page.getByLabel('Mirror what is sent').check();
    await expect.poll(compare).toBe('mirrored');
    const isMirrored = () =>
      page.evaluate("getComputedStyle(document.querySelector('video')).transform !== 'none'");
    expect(await isMirrored()).toBe(true);
    await page.getByLabel(/Mirror the picture above/).uncheck();
    await expect.poll(isMirrored).toBe(false);
  });

  it('bring what the machine knows of itself, only where that was ticked', async () => {
    const tab = await open(fakeCamera, { path: wholePath });
    const { page } = tab;
    const reading = async () => {
      const response = await fetch(`${server.url}/devices/door/telemetry`, {
        headers: { 'x-api-key': keys.operator },
      });
      return response.status === 404 ? null : ((await response.json()) as { telemetry: unknown }).telemetry;
    };
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(15);
    expect(await reading()).toBeNull();
    await page.evaluate(battery);
    await page.getByLabel('How full the battery is').check();
    await expect.poll(reading).toEqual({ battery_percent: 42, charging: false });
    await page.evaluate('charge(0.5)');
    await expect.poll(reading).toEqual({ battery_percent: 50, charging: false });
    await page.getByLabel('How the device is held').check();
    await page.evaluate(tilt);
    await expect.poll(reading).toMatchObject({ battery_percent: 50, beta: 12.3, alpha: expect.any(Number) });
    const alphas: number[] = [];
    const endMs = performance.now() + 4_000;
    while (performance.now() < endMs) {
      const { alpha } = (await reading()) as { readonly alpha: number };
      if (alpha !== alphas.at(-1)) alphas.push(alpha);
      await sleep(50);
    }
    expect(alphas.length).toBeGreaterThan(1);
    expect(alphas.length).toBeLessThanOrEqual(6);
    await page.getByLabel('How full the battery is').uncheck();
    await expect.poll(reading).not.toHaveProperty('battery_percent');
  });
});
