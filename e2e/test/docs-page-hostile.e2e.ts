import { byTier, verifies } from '@waymark/contract/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { markup } from './corpora/pages-markup.ts';
import { launchBrowser, type OpenedPage } from './device-pages.ts';
import { openDocs, type StartedReference, startReference } from './docs-page-reference.ts';
import { turnedTexts } from './turned-texts.ts';

const executablePath = inject('chromium');

/** Members of a document that it would not be one without. */
const form = /^(?:openapi|type|in|\$ref|style|approval|specification|mcp|docs|maxLength|minLength)$/;

/** Nobody sees them, or they turn around what stands behind. */
const unseen = '\u202e\u200b\u200f\u061c\u2028\u00ad\u3164\u{e0041}';

/** Each text and each name of a document, with another one of the corpus behind it. */
function hostileDocument(document: unknown): unknown {
  let n = 0;
  const next = (): string => markup[n % markup.length]?.replaceAll('{n}', `${n++}`) ?? '';
  const poison = (value: unknown, key: string, path: readonly string[]): unknown => {
    if (typeof value === 'string') return form.test(key) ? value : `${value} ${next()}${unseen}`;
    if (Array.isArray(value)) return key === 'type' ? value : value.map((one) => poison(one, key, path));
    if (typeof value !== 'object' || value === null) return value;
    const named = ['properties', 'headers', 'paths', 'content', 'responses', 'example'].includes(key);
    // Responses that are shared have names that are referred to.
    const renamed = named && path.at(-1) !== 'components';
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        renamed ? `${name} ${next()}${unseen}` : name,
        poison(one, name, [...path, key]),
      ]),
    );
  };
  return poison(document, '', []);
}

/** Says that a script ran, whoever let it. */
async function watch(page: Page): Promise<readonly string[]> {
  const ran: string[] = [];
  await page.exposeFunction('ran', (n: unknown) => void ran.push(String(n)));
  page.on('dialog', (dialog) => {
    ran.push(dialog.message());
    void dialog.dismiss();
  });
  return ran;
}

describe.skipIf(executablePath === '')('the page of a document with texts that want to be markup', () => {
  let reference: StartedReference;
  let browser: Browser;
  /** One page for all answers, and what ran in it. */
  let asking: (OpenedPage & { readonly ran: readonly string[] }) | undefined;
  beforeAll(async () => {
    [reference, browser] = await Promise.all([startReference(), launchBrowser(executablePath)]);
  });
  afterAll(async () => {
    await browser?.close();
    await reference?.stop();
  });

  it('takes whatever stands in it for text', async () => {
    verifies('docs-page.hostile', 'docs-page.policy');
    const { page, faults } = await openDocs(browser, reference.docs, { width: 360 });
    const ran = await watch(page);
    await page.route('**/openapi.json', async (route) => {
      const response = await route.fetch();
      // Whoever reloads has no key; what the service says of that is not asked here.
      await route.fulfill({ json: hostileDocument(response.ok() ? await response.json() : kept) });
    });
    const kept: unknown = await page.evaluate(
      `fetch('openapi.json', { headers: { 'x-api-key': 'operator-key-of-the-tests' } }).then((one) => one.json())`,
    );
    await page.reload();
    await page.locator('.overview .row').first().waitFor({ state: 'attached' });
    const seen = await page.evaluate(`(async () => {
      let texts = 0;
      const wide = [];
      const turned = [];
      const links = [...document.querySelectorAll('.sidebar a')].map((one) => one.getAttribute('href'));
      // Not each one: they are many, and alike.
      for (const href of links.filter((_, i) => i % ${byTier({ quick: 6, slow: 6, drill: 1 })} === 0)) {
        const changed = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
        location.hash = href;
        await changed;
        for (let depth = 0; depth < 3; depth++) {
          for (const one of document.querySelectorAll('main details')) one.open = true;
          await new Promise((resolve) => setTimeout(resolve));
        }
        for (const tab of document.querySelectorAll('[role=tab]')) tab.click();
        document.querySelector('main h1').focus();
        for (const one of document.querySelectorAll('main *')) {
          one.dispatchEvent(new MouseEvent('mouseover'));
          if (/^on/.test([...one.attributes].map(({ name }) => name).join(' '))) texts = Number.NaN;
        }
        if (document.documentElement.scrollWidth > innerWidth) wide.push(href);
        turned.push(...${turnedTexts});
        texts += document.querySelector('main').textContent.split('ran(').length - 1;
      }
      return { texts, wide, turned, scripts: document.querySelectorAll('script').length, inMain: document.querySelectorAll('main :is(script, iframe, img, svg, style, object, embed, base, meta)').length };
    })()`);
    expect(seen).toMatchObject({ scripts: 1, inMain: 0, wide: [], turned: [] });
    expect((seen as { readonly texts: number }).texts).toBeGreaterThan(1_000);
    expect(ran).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  const text = markup.map((one, i) => `${one.replaceAll('{n}', `${i}`)}${unseen}`).join('\n');
  it.each([
    [
      'a problem',
      { status: 422, contentType: 'application/problem+json' },
      JSON.stringify({
        title: text,
        detail: text,
        errors: [
          { path: '/title', message: text },
          { path: text, message: text },
        ],
      }),
    ],
    ['a page', { status: 200, contentType: 'text/html' }, `<!doctype html><body>${text}`],
    ['JSON', { status: 200, contentType: 'application/json' }, JSON.stringify({ [text]: text })],
    ['what only says that it is JSON', { status: 500, contentType: 'application/json' }, text],
    [
      'a picture with a script',
      { status: 200, contentType: 'image/svg+xml' },
      `<svg xmlns="http://www.w3.org/2000/svg" onload="top.ran(1)"><script>top.ran(2)</script><foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="https://elsewhere.example/x"/></foreignObject></svg>`,
    ],
    [
      'events',
      { status: 200, contentType: 'text/event-stream' },
      `event: ${markup[0]}\ndata: ${markup[2]}\n\n`,
    ],
    ['bytes', { status: 200, contentType: 'application/octet-stream' }, text],
  ])('takes an answer for what it is: %s', async (_, head, body) => {
    verifies('docs-page.hostile');
    if (!asking) {
      const opened = await openDocs(browser, reference.docs);
      asking = { ...opened, ran: await watch(opened.page) };
    }
    const { page, faults, ran } = asking;
    await page.goto(`${reference.docs}#/create_tickets`);
    await page.route('**/tickets', (route) =>
      route.fulfill({ ...head, body, headers: { 'x-hostile': '"><img src=x onerror=ran(9)>' } }),
    );
    await page.getByRole('button', { name: 'Send POST' }).click();
    await page.locator('.answer-line .status').waitFor();
    await page.locator('.answer-panel details summary').click();
    expect(await page.evaluate(turnedTexts)).toEqual([]);
    expect(await page.locator('main :is(script, iframe, svg, style, object, embed)').count()).toBe(0);
    expect(await page.locator('main img').count()).toBe(head.contentType === 'image/svg+xml' ? 1 : 0);
    expect(ran).toEqual([]);
    expect(faults).toEqual([]);
    await page.unroute('**/tickets');
    // The answer is gone with its operation.
    await page.goto(`${reference.docs}#/list_tickets`);
    await page.locator('.answer-line .status').waitFor({ state: 'detached' });
  });
});
