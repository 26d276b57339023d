import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import type { RunningApplication } from '@waymark/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ConnectTab, fakeCamera, keys, openConnect, openStage } from './device-connect-stage.ts';
import {
  accessibilityFaults,
  isWiderThanItsWindow,
  launchBrowser,
  looks,
  photograph,
} from './device-pages.ts';

const executablePath = inject('chromium');
/** A folder for somebody who wants to look at the pages. */
const pictures = process.env['PAGE_PICTURES'];

describe.skipIf(executablePath === '')('the page that makes a camera a device', () => {
  let server: RunningApplication;
  let browser: Browser;
  beforeAll(async () => {
    server = await openStage({ door: { maxFps: 20, description: 'the front door' } });
    browser = await launchBrowser(executablePath, fakeCamera);
  });
  afterAll(async () => {
    await browser?.close();
    await server.close();
  });

  it.each(looks)('can be used by everybody in each of its states, $name', async ({ name, dark, width }) => {
    verifies('device.connect');
    const check = async ({ page, faults }: ConnectTab, state: string) => {
      if (pictures) await photograph(page, join(pictures, `${name} ${state}`), dark);
      expect(await accessibilityFaults(page, dark)).toEqual([]);
      expect(await isWiderThanItsWindow(page)).toBe(false);
      expect(faults).toEqual([]);
    };
    const refused = await openConnect(browser, server.url, { key: keys.viewer, width });
    await refused.page.getByRole('textbox', { name: 'Key' }).waitFor();
    await check(refused, 'refused');
    await refused.page.context().close();

    const tab = await openConnect(browser, server.url, { key: keys.operator, width });
    await tab.page.getByRole('button', { name: 'Start' }).waitFor();
    await check(tab, 'ready');
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(30);
    await check(tab, 'sending');
    const flood = await floodFor(server.url, tab);
    await check(tab, 'too fast');
    await flood.stop();
    await tab.page.evaluate(
      "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotAllowedError'); }",
    );
    await tab.stop();
    await tab.start();
    await expect.poll(() => tab.badge()).toBe('Not sending');
    await check(tab, 'not permitted');
    await tab.page.context().close();
  });
});

/** Sends as the same device until the page has noticed. */
async function floodFor(url: string, tab: ConnectTab) {
  const controller = new AbortController();
  const body = Uint8Array.from(atob('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='), (c) => c.charCodeAt(0));
  const sending = (async () => {
    while (!controller.signal.aborted) {
      await fetch(`${url}/devices/door/frames`, {
        method: 'POST',
        headers: { 'x-api-key': keys.operator },
        body,
      });
      await sleep(25);
    }
  })();
  await expect.poll(() => tab.sentence()).toMatch(/somebody else/);
  return {
    stop: async () => {
      controller.abort();
      await sending;
    },
  };
}
