import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { verifies } from '@waymark/contract/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { buildSite, writeSite } from '../../tools/docs/build.ts';
import {
  accessibilityFaults,
  isWiderThanItsWindow,
  launchBrowser,
  looks,
  openDevicePage,
} from './device-pages.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === '')('the documentation, opened from a folder', () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-site-'));
    writeSite(await buildSite(join(import.meta.dirname, '..', '..')), folder);
    browser = await launchBrowser(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  // A file has no origin: each request of a page is told. Those for its own folder are as they should be.
  const foreign = (faults: readonly string[]): readonly string[] =>
    faults.filter((fault) => !fault.startsWith(`request to ${pathToFileURL(folder).href}/`));
  const addressOf = (path: string): string => pathToFileURL(join(folder, path)).href;

  it('finds a page by its words, from the keyboard and without a server', async () => {
    verifies('docs.offline');
    const { page, faults } = await openDevicePage(browser, addressOf('reference/rules/cors-origin.html'));
    await page.keyboard.press('/');
    await page.keyboard.type('unknown-tool');
    await page.getByRole('link', { name: 'unknown-tool' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'unknown-tool', level: 1 }).waitFor();
    await page.getByRole('searchbox').fill('qqqq');
    await page.getByText('Nothing is found').waitFor();
    await page.getByRole('searchbox').fill('backup restore');
    await page
      .getByRole('link', { name: /^Back up, and restore/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Back up, and restore', level: 1 }).waitFor();
    expect(foreign(faults)).toEqual([]);
    await page.context().close();
  });

  it.each(looks)('can be read $name, and by everybody', async ({ dark, width }) => {
    verifies('docs.offline');
    for (const path of ['index', 'tutorials/first-route', 'mcp']) {
      const { page, faults } = await openDevicePage(browser, addressOf(`${path}.html`), { width });
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await isWiderThanItsWindow(page), path).toBe(false);
      expect(foreign(faults)).toEqual([]);
      if (path !== 'index') expect(await accessibilityFaults(page, dark), path).toEqual([]);
      await page.context().close();
    }
  });
});
