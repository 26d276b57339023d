import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { createPages, pageHandler } from '@waymark/pages';
import type { RunningApplication } from '@waymark/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { everyPlace, markup, rowPartial } from './corpora/pages-markup.ts';
import { launchBrowser } from './device-pages.ts';
import { readEverything, visitEverything } from './pages-actions.ts';
import { application } from './served.ts';

const executablePath = inject('chromium');
const texts = markup.map((text, n) => text.replaceAll('{n}', String(n)));

describe.skipIf(executablePath === '')('stored markup in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-pages-browser-'));
  let server: RunningApplication;
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(join(folder, 'partials'));
    writeFileSync(join(folder, 'every.hbs'), everyPlace);
    writeFileSync(join(folder, 'raw.hbs'), '<!doctype html>{{#each rows}}{{{text}}}{{/each}}');
    writeFileSync(join(folder, 'partials/row.hbs'), rowPartial);
    // Browsers only: the page loads whatever the texts name.
    const app = application({ failureLimit: { perSecond: 1e6, burst: 1e6 } });
    app.securityHeaders({ frameOptions: 'SAMEORIGIN' });
    const rows = texts.map((text, id) => ({ id, text }));
    app.add(
      createPages(
        [
          pageHandler('/every', 'every', {}, () => ({ rows })),
          pageHandler('/raw', 'raw', {}, () => ({ rows })),
        ],
        {
          templates: folder,
        },
      ),
    );
    server = await app.listen();
    browser = await launchBrowser(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens a page in which `ran` remembers which texts ran. */
  async function open(path: string): Promise<{ readonly page: Page; readonly ran: Set<number> }> {
    const page = await browser.newPage();
    const ran = new Set<number>();
    await page.exposeFunction('ran', (n: number) => void ran.add(n));
    // Nothing leaves this machine.
    await page.route(/./, (route) =>
      route.request().url().startsWith(server.url) ? route.continue() : route.abort(),
    );
    await page.goto(new URL(path, server.url).href);
    return { page, ran };
  }

  it('runs where it is not escaped, so that this test would see it', async () => {
    const { page, ran } = await open('/raw');
    await expect.poll(() => ran.size).toBeGreaterThan(5);
    await page.close();
  });

  it('does nothing in any place where a template may put it, whatever a visitor does', async () => {
    verifies('page.escaped', 'page.places');
    const { page, ran } = await open('/every');
    expect(await page.locator('section').count()).toBe(texts.length);
    const links = await visitEverything(page);
    expect(links).toBe(texts.length * 6);
    await expect.poll(() => ran.has(-1), { timeout: 60_000 }).toBe(true);
    expect([...ran]).toEqual([-1]);
    await page.close();
  });

  it('is the same text again to whoever reads it', async () => {
    const { page } = await open('/every');
    for (const [place, read] of Object.entries(await readEverything(page)))
      expect([place, read]).toEqual([place, texts]);
    await page.close();
  });
});
