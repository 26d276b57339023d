import { verifies } from '@waymark/contract/testing';
import type { RunningApplication } from '@waymark/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { keys, listed, openConnect, openStage } from './device-connect-stage.ts';
import { launchBrowser, openDevicePage } from './device-pages.ts';
import { factsOf, noteShown } from './device-pages-film.ts';
import { openReader } from './hub-reader.ts';

const executablePath = inject('chromium');

/** Promised is a quarter of a second on one machine; a busy machine has three times as long. */
const mostAgeMs = 750;

describe.skipIf(executablePath === '')('a camera of a browser, looked at in another', () => {
  let server: RunningApplication;
  let browser: Browser;
  beforeAll(async () => {
    server = await openStage({ door: { maxFps: 30 } });
    browser = await launchBrowser(executablePath, [
      '--use-fake-device-for-media-stream=fps=30',
      '--use-fake-ui-for-media-stream',
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await server.close();
  });

  it('is seen frame by frame, none of them old; what is not shown is counted', async () => {
    verifies('device.connect');
    const { url } = server;
    const view = await openDevicePage(browser, `${url}/devices/door/view`, { key: keys.viewer });
    await view.page.locator('.facts').waitFor();
    const noted = await noteShown(view.page);
    const port = Number(new URL(url).port);
    const reader = openReader({
      port,
      target: `/devices/door/stream?frames=meta&access_token=${keys.viewer}`,
    });
    await reader.until(({ hello }) => hello !== undefined);

    const tab = await openConnect(browser, url, { key: keys.operator });
    await tab.page.getByLabel('Frames a second').selectOption('30');
    await tab.start();
    await expect.poll(() => tab.taken()).toBeGreaterThan(150);
    await tab.stop();

    const seen = async () => {
      const { Shown = '', Skipped = '' } = await factsOf(view.page);
      return Number(Shown) + Number(Skipped);
    };
    await expect.poll(async () => (await seen()) === (await listed(url))['frames_in']).toBe(true);
    await expect.poll(async () => reader.frames.at(-1)?.seq === (await listed(url))['frames_in']).toBe(true);
    const publishedMs = new Map(reader.frames.map((frame) => [frame.seq, frame.publishedMs]));
    const shown = await noted();
    const ages = shown.flatMap(({ seq, atMs }) => {
      const published = publishedMs.get(seq);
      return published === undefined ? [] : [atMs - published];
    });
    expect(ages.length).toBeGreaterThan(50);
    expect(Math.max(...ages)).toBeLessThan(mostAgeMs);
    expect([...view.faults, ...tab.faults]).toEqual([]);
  });
});
