import { verifies } from '@waymark/contract/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  accessibilityFaults,
  isWiderThanItsWindow,
  launchBrowser,
  looks,
  openDevicePage,
} from './device-pages.ts';
import { keys, openYard, type Yard } from './hub-client-yard.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === '')('the way into a page of a device', () => {
  let yard: Yard;
  let browser: Browser;
  let address: string;
  beforeAll(async () => {
    yard = await openYard();
    address = new URL('/devices/door/view', yard.url).href;
    browser = await launchBrowser(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
    await yard.close();
  });

  it('asks for a key where nobody is let in without one, and takes it from a keyboard', async () => {
    verifies('auth.device.public-pages');
    const { page, faults } = await openDevicePage(browser, address);
    await page.getByRole('heading', { name: 'A key is needed' }).waitFor();
    await page.keyboard.type(keys.viewer);
    await page.keyboard.press('Enter');
    await page.locator('.badge:not([data-state="refused"]):not([data-state="connecting"])').waitFor();
    expect(await page.getByRole('textbox', { name: 'Key' }).count()).toBe(0);
    // Kept as long as the tab is.
    await page.reload();
    await page.locator('.badge:not([data-state="refused"]):not([data-state="connecting"])').waitFor();
    expect(faults).toEqual([]);
    expect(yard.logged()).not.toContain(keys.viewer);
    await page.context().close();
  });

  it('takes a key from the fragment, and out of the address', async () => {
    const { page, faults } = await openDevicePage(browser, address, { key: keys.viewer });
    await page.locator('.badge:not([data-state="refused"]):not([data-state="connecting"])').waitFor();
    expect(page.url()).toBe(address);
    // The upgrade of a socket has no other place for it.
    expect(faults.filter((fault) => fault !== 'the key stands in an address')).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['a key that nobody knows', 'nobody-knows-this-key', 'This key is not known'],
    ['a key that cannot even be sent', 'ключ', 'This key is not known'],
    ['a key that may only send', keys.camera, 'This key may not do that'],
  ])('says so of %s', async (_, key, title) => {
    const { page, faults } = await openDevicePage(browser, address, { key });
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/\b40\d\b/);
    expect(await page.locator('.badge').getAttribute('data-state')).toBe('refused');
    await page.getByRole('textbox', { name: 'Key' }).fill(keys.viewer);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.badge:not([data-state="refused"]):not([data-state="connecting"])').waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it.each(looks)('can be used by everybody, $name', async ({ dark, width }) => {
    for (const key of [undefined, keys.camera]) {
      const { page, faults } = await openDevicePage(browser, address, { ...(key && { key }), width });
      await page.getByRole('textbox', { name: 'Key' }).waitFor();
      expect(await accessibilityFaults(page, dark)).toEqual([]);
      expect(await isWiderThanItsWindow(page)).toBe(false);
      expect(faults).toEqual([]);
      await page.context().close();
    }
  });
});
