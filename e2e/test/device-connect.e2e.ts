import { verifies } from '@waymark/contract/testing';
import type { RunningApplication } from '@waymark/server';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
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
});
