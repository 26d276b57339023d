import { setTimeout as wait } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { camera, sensor } from '@waymark/device-hub';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, openDevicePage } from './device-pages.ts';
import { drawPicture, factsOf, type Sender, sendFrame } from './device-pages-film.ts';
import { keys, openYard, type Yard } from './hub-client-yard.ts';
import { startCamera } from './pulled-camera.ts';
import { application, secrets, serve } from './served.ts';

const executablePath = inject('chromium');

/** Promised is a quarter of a second at 30 pictures a second on one machine; a busy machine has three times as long. */
const mostAgeMs = 750;

describe.skipIf(executablePath === '')('the page that shows a device, when nothing comes', () => {
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

  it('says that a picture is not what is to be seen now, and how old it is', async () => {
    await sendFrame(sender, picture);
    const sentAtMs = Date.now();
    await wait(3_000);
    // Somebody who comes later is told the same.
    const { page } = await open();
    await page.getByText(/^Last seen \d/).waitFor();
    expect(await stateOf(page)).toBe('stale');
    expect(await page.locator('.stage.frozen').count()).toBe(1);
    await expect.poll(() => page.getByRole('status').innerText()).toBe('Stale');
    const told = async () => Number.parseFloat((await factsOf(page))['Age'] ?? '') * 1000;
    for (const _ of [1, 2]) {
      const [age, trueAge] = [await told(), Date.now() - sentAtMs];
      expect(Math.abs(age - trueAge)).toBeLessThan(mostAgeMs);
      await wait(1_000);
    }
    await sendFrame(sender, picture);
    await expect.poll(() => stateOf(page)).toBe('live');
    expect(await page.locator('.stage.frozen').count()).toBe(0);
    await closed(page);
  });

  it('goes on by itself when the server was away for ten seconds', async () => {
    const { page } = await open();
    await sendFrame(sender, picture);
    await expect.poll(() => stateOf(page)).toBe('live');
    const { port } = yard;
    await yard.close();
    await page.getByText(/^No connection/).waitFor();
    expect(await stateOf(page)).toBe('connecting');
    await page.getByText(/^Last seen \d/).waitFor();
    await wait(8_000);
    yard = await openYard({ port, devices });
    await expect.poll(() => yard.sockets).toBe(1);
    await sendFrame(sender, picture);
    await expect.poll(() => stateOf(page)).toBe('live');
    expect(await page.locator('.trouble').isVisible()).toBe(false);
    await closed(page);
  });

  it('says so when its device is no more, and comes back with it', async () => {
    const { page } = await open();
    const { port } = yard;
    await yard.close();
    yard = await openYard({ port, devices: devices.slice(1) });
    await page.getByRole('heading', { name: 'There is no such device' }).waitFor();
    await yard.close();
    yard = await openYard({ port, devices });
    const back = page.locator('.picture').waitFor();
    // It tries by itself, too, and may have come back before the button was found.
    await Promise.any([page.getByRole('button', { name: 'Try again now' }).click(), back]);
    await back;
    await closed(page);
  });
});

describe.skipIf(executablePath === '')('the page that shows a device in an application', () => {
  it('wins over the headers of the application, and needs no key where nobody does', async () => {
    verifies('auth.device.public-pages');
    const app = application();
    app.anonymousScopes('devices:read');
    app.apiKey('SHOP_KEY', 'operator', { scopes: ['devices:ingest'] });
    app.securityHeaders({ contentSecurityPolicy: "default-src 'none'; sandbox", frameOptions: 'SAMEORIGIN' });
    app.camera('door');
    const { url } = await serve(app);
    const browser = await launchBrowser(executablePath);
    try {
      const picture = await drawPicture(browser);
      const { page, faults } = await openDevicePage(browser, `${url}/devices/door/view`);
      // A busy machine may show one when it is old already.
      await expect
        .poll(
          async () => {
            await sendFrame({ url, key: secrets.SHOP_KEY }, picture);
            return page.locator('.badge[data-state="live"]').count();
          },
          { interval: 250 },
        )
        .toBe(1);
      expect(faults).toEqual([]);
      const { headers } = await fetch(`${url}/devices/door/view`);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      const etag = headers.get('etag') ?? '';
      const again = await fetch(`${url}/devices/door/view`, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    } finally {
      await browser.close();
    }
  });

  it('asks for the pictures of a camera that is pulled, and says how old one is when it gives no more', async () => {
    verifies('hub.pull.view');
    const browser = await launchBrowser(executablePath);
    try {
      const pictures = [await drawPicture(browser), await drawPicture(browser, 320, 240)];
      const source = await startCamera((_, res) =>
        res.setHeader('content-type', 'image/jpeg').end(pictures[0]),
      );
      const app = application();
      app.anonymousScopes('devices:read');
      app.camera('door', { source: `${source.url}/still.jpg` });
      const { url } = await serve(app);
      const { page, faults } = await openDevicePage(browser, `${url}/devices/door/view`);
      await page.getByRole('img', { name: 'Picture 1 of door' }).waitFor();
      // The same picture, again and again, is what is to be seen now.
      await expect.poll(() => source.requests.length).toBeGreaterThan(4);
      await expect.poll(() => page.locator('.badge').getAttribute('data-state')).toBe('live');
      source.answer = (_, res) => res.setHeader('content-type', 'image/jpeg').end(pictures[1]);
      await page.getByRole('img', { name: 'Picture 2 of door' }).waitFor();
      expect((await factsOf(page))['Size']).toMatch(/^320 × 240/);
      source.answer = (_, res) => res.writeHead(500).end();
      await page.getByText(/^Last seen \d/).waitFor();
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
