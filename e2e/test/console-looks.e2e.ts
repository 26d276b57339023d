import { verifies } from '@waymark/contract/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Desk, keys, openByLink, openConsole, startDesk } from './console-desk.ts';
import { accessibilityFaults, isWiderThanItsWindow, launchBrowser, looks } from './device-pages.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === '')('how the console of operators looks', () => {
  let desk: Desk;
  let browser: Browser;
  let run: string;
  beforeAll(async () => {
    [desk, browser] = await Promise.all([startDesk(), launchBrowser(executablePath)]);
    ({ run_id: run } = (await desk.post('/flows/refund', { customer: 1, euros: 11 })) as { run_id: string });
  });
  afterAll(async () => {
    await browser?.close();
    await desk?.close();
  });

  it('moves nothing for who wants less motion, and shows the same', async () => {
    verifies('console.still');
    const { page, context } = await openByLink(browser, desk.link);
    await page.goto(`${desk.url}/_svc/console#/runs/${run}`);
    const moving = (): Promise<number> => page.evaluate('document.getAnimations().length');
    // As what is under way has it.
    await page.evaluate(`(() => {
      const badge = document.createElement('span');
      Object.assign(badge, { className: 'badge', textContent: 'under way' }).dataset.tone = 'busy';
      document.querySelector('#main').append(badge);
    })()`);
    await expect.poll(moving).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expect.poll(moving).toBe(0);
    expect(await page.getByText('under way').isVisible()).toBe(true);
    await context.close();
  });

  it.each(looks)('has no faults that axe finds: $name', async ({ dark, width }) => {
    verifies('console.accessible');
    const { page, context, faults } = await openConsole(browser, desk.url, '#/', { width, key: '' });
    await page.waitForSelector('#key');
    expect(await accessibilityFaults(page, dark)).toEqual([]);
    await page.fill('#key', keys.OPERATOR_KEY);
    await page.keyboard.press('Enter');
    const places: readonly (readonly [string, string])[] = [
      ['#/', '.events li'],
      ['#/approvals', width < 860 ? '.asked a' : '.deciding .button.primary:enabled'],
      ['#/runs', '.table .body .line'],
      [`#/runs/${run}?step=1`, '.step'],
      ['#/playground/agent/support', '#words'],
      ['#/playground/behaviour/triage', '#field-limit'],
      ['#/devices', '.live img'],
      ['#/devices/lobby', '.device-view .live img'],
      ['#/devices/thermometer', '[aria-label="Readings"]'],
      ['#/routes', '.table .body .line'],
      ['#/routes/POST%20%2Ftickets', '.surfaces pre'],
      ['#/reference', 'iframe'],
      ['#/usage', '.totals'],
      ['#/audit', '.table .body .line'],
      ['#/webhooks', '.table .body .line'],
      ['#/webhooks/watcher%3Alobby_watch', '.table .body .line'],
      ['#/security', '.findings'],
      ['#/security?part=gates', 'table.plain'],
      ['#/security?part=limits', 'table.plain'],
      ['#/data/tickets/1', '.event-view .pairs'],
      ['#/data/notes', '.empty'],
      ['#/nowhere', 'h1'],
    ];
    for (const [place, shown] of places) {
      await page.goto(`${desk.url}/_svc/console${place}`);
      await page.waitForSelector(shown);
      expect(await accessibilityFaults(page, dark), place).toEqual([]);
      expect(await isWiderThanItsWindow(page), place).toBe(false);
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await accessibilityFaults(page, dark)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });
});
