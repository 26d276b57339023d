import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { createPages, pageHandler } from '@waymark/pages';
import { type RunningApplication, Type } from '@waymark/server';
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
    const words = Type.Optional(Type.String());
    const rows = texts.map((text, id) => ({ id, text }));
    app.add(
      createPages(
        [
          // Its own links and forms lead to it, too: there without rows, which are tried where they stand first.
          pageHandler('/every', 'every', { input: { q: words, a: words } }, ({ q, a }) => ({
            rows: q === undefined && a === undefined ? rows : [],
          })),
          pageHandler('/raw', 'raw', {}, () => ({ rows })),
        ],
        {
          templates: folder,
        },
      ),
    );
    server = await app.listen();
    // Nothing leaves this machine.
    browser = await launchBrowser(executablePath, [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ]);
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
    await page.goto(new URL(path, server.url).href);
    return { page, ran };
  }

  it('runs where it is not escaped, so that this test would see it', async () => {
    const { page, ran } = await open('/raw');
    await expect.poll(() => ran.size).toBeGreaterThan(5);
    await page.close();
  });

  it('is the same text again to whoever reads it, and does nothing in any place, whatever a visitor does', async () => {
    verifies('page.escaped', 'page.places');
    const { page, ran } = await open('/every');
    for (const [place, read] of Object.entries(await readEverything(page)))
      expect([place, read]).toEqual([place, texts]);
    expect(await page.locator('section').count()).toBe(texts.length);
    const links = await visitEverything(page);
    expect(links).toBe(texts.length * 6);
    await expect.poll(() => ran.has(-1), { timeout: 60_000 }).toBe(true);
    expect([...ran]).toEqual([-1]);
    await page.close();
  });
});
