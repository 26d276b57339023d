import { verifies } from '@waymark/contract/testing';
import { describe, expect, inject, it } from 'vitest';
import { fakeCamera, keys, openConnect, openStage } from './device-connect-stage.ts';
import { launchBrowser } from './device-pages.ts';
import { distantPort } from './distant-port.ts';

const executablePath = inject('chromium');

// A machine that is busy is slow, too: only beside nothing else can it be told from a line that is.
describe.skipIf(executablePath === '')('a camera of a browser that is far away', () => {
  it('keeps rate and sharpness on a line that is long but not slow', async () => {
    verifies('device.connect', 'hub.receipts');
    const browser = await launchBrowser(executablePath, fakeCamera);
    const server = await openStage();
    try {
      await using line = await distantPort(Number(new URL(server.url).port), 250);
      const tab = await openConnect(browser, `http://127.0.0.1:${line.port}`, { key: keys.operator });
      await tab.page.getByLabel('Frames a second').selectOption('15');
      await tab.start();
      await expect.poll(() => tab.figure('Frames a second')).toBeGreaterThan(13);
      expect(await tab.figure('Round trip')).toBeGreaterThanOrEqual(250);
      await expect.poll(() => tab.sentence()).toMatch(/this camera is the device now/);
      await expect.poll(() => tab.figure('Sharpness')).toBe(80);
      expect(tab.faults).toEqual([]);
    } finally {
      await browser.close();
      await server.close();
    }
  });
});
