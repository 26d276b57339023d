import { verifies } from '@waymark/contract/testing';
import { describe, expect, inject } from 'vitest';
import { journeysOf } from './console-journey.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === '')('the console of those who look after devices', () => {
  const journey = journeysOf(executablePath);

  journey('shows that a camera died, and that it is back', async ({ page, desk, go }) => {
    verifies('console.devices');
    await go('#/devices');
    const card = page.getByRole('article', { name: 'dock' });
    await card.locator('img').waitFor();
    await card.getByText('online').waitFor();
    await desk.failDock(600);
    await card.getByText(/^(?:stale|offline)$/).waitFor();
    await card.getByText(/failures?: \S/).waitFor();
    // The last picture stays, and does not look like one of now.
    await card.locator('.live[data-old="true"] img').waitFor();
    await desk.failDock(0);
    await card.getByText('online').waitFor();
    await card.locator('.live[data-old="false"] img').waitFor();
  });

  journey('asks for no picture while nobody looks', async ({ page, go }) => {
    verifies('console.devices-frugal');
    await go('#/devices');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    const pictures = () => asked.filter((url) => url.endsWith('/latest')).length;
    const listings = () => asked.filter((url) => url.endsWith('/_svc/devices')).length;
    await expect.poll(pictures).toBeGreaterThan(1);
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    const [before, listed] = [pictures(), listings()];
    await expect.poll(listings).toBeGreaterThan(listed + 1);
    // One may have been on its way.
    expect(pictures() - before).toBeLessThanOrEqual(1);
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await expect.poll(pictures).toBeGreaterThan(before + 1);
  });

  journey(
    'shows what a watcher concluded, with the picture and within what ceilings',
    async ({ page, go }) => {
      verifies('console.insights');
      await go('#/devices/lobby');
      const insights = page.getByRole('region', { name: 'Insights' });
      await insights
        .getByText(/^There is a ball /)
        .first()
        .waitFor();
      await insights
        .getByRole('button', { name: /show it large/ })
        .first()
        .click();
      await page.getByRole('dialog').locator('img').waitFor();
      await page.keyboard.press('Escape');
      const watcher = page.getByRole('region', { name: 'Watcher lobby_watch' });
      await watcher.getByText(/^\d of 240$/).waitFor();
      await watcher.getByText(/of \$1\.00$/).waitFor();
      await watcher.getByRole('link', { name: 'lookout' }).waitFor();
    },
  );

  journey('draws readings as they come', async ({ page, desk, go }) => {
    verifies('console.readings');
    await go('#/devices/thermometer');
    await page.getByText('Nobody watches it').waitFor();
    // Warmer than it is by itself.
    const readings = page.getByRole('region', { name: 'Readings' });
    for (const celsius of [40, 41]) {
      const shown = readings.getByText(String(celsius), { exact: true });
      // Its own reading may come in between.
      await expect
        .poll(
          async () => {
            await desk.post('/devices/thermometer/telemetry', { celsius, place: 'window' });
            return shown.count();
          },
          { interval: 250 },
        )
        .toBe(1);
    }
    await page
      .getByRole('img', { name: /^celsius: \d+ readings from [\d.]+ to 41$/ })
      .locator('canvas')
      .waitFor();
  });
});
