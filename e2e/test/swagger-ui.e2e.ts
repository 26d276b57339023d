import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { basename } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import type { OpenApiDocument } from '@waymark/openapi';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser } from './device-pages.ts';
import { fetchReferenceDocument } from './reference-document.ts';

const executablePath = inject('chromium');
describe.skipIf(executablePath === '')('Swagger UI', () => {
  let document: OpenApiDocument;
  let shown: OpenApiDocument;
  let server: Server;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    document = await fetchReferenceDocument();
    server = createServer((request, response) => {
      const path = request.url ?? '/';
      if (path === '/') return response.setHeader('content-type', 'text/html').end(page);
      if (path === '/openapi.json') return response.end(JSON.stringify(shown));
      const type = path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
      return response
        .setHeader('content-type', type)
        .end(readFileSync(new URL(basename(path), import.meta.resolve('swagger-ui-dist/package.json'))));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    browser = await launchBrowser(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
    server.close();
  });

  /** Opens the document, and gives what is seen of it. */
  async function open(given: OpenApiDocument) {
    shown = given;
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(url);
    await page.waitForSelector('.opblock', { state: 'attached', timeout: 60_000 });
    const boxes = await page
      .locator('.errors-wrapper, .version-pragma, .loading-container .failed-config')
      .all();
    const texts = await Promise.all(boxes.map((box) => box.innerText()));
    return { page, errors: [...errors, ...texts.filter((text) => text.trim() !== '')] };
  }

  it('shows the document of the reference application without an error, and every operation of it', async () => {
    verifies('openapi.swagger-ui');
    const { page, errors } = await open(document);
    expect(errors).toEqual([]);
    const listed = await page
      .locator('.opblock-summary-path')
      .evaluateAll((paths) => paths.map((path) => `${path.getAttribute('data-path') ?? path.textContent}`));
    const expected = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map(() => path),
    );
    expect(listed.toSorted()).toEqual(expected.toSorted());
    for (const { description } of document.tags)
      expect(await page.locator('.opblock-tag-section').allInnerTexts()).toEqual(
        expect.arrayContaining([expect.stringContaining(description.replaceAll('`', ''))]),
      );
    // One of them, opened, has the example of its body and of its answer.
    await page.locator('#operations-tickets-create_tickets .opblock-summary-control').click();
    const examples = page.locator(
      '#operations-tickets-create_tickets .highlight-code, #operations-tickets-create_tickets .example',
    );
    await examples.first().waitFor();
    expect(await page.locator('#operations-tickets-create_tickets').innerText()).toContain('"title"');
    await page.close();
  });

  it('shows a red box for a document of another dialect, which is how one would be noticed here', async () => {
    const { page, errors } = await open({
      ...document,
      // One of its paths is enough to be shown.
      paths: Object.fromEntries(Object.entries(document.paths).slice(0, 1)),
      ...{ jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema' },
    });
    expect(errors.join('\n')).toMatch(/jsonSchemaDialect/);
    await page.close();
  });
});

const page = `<!doctype html><html lang="en"><head><title>API</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/swagger-ui.css"></head><body><div id="ui"></div><script src="/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: '/openapi.json', dom_id: '#ui', validatorUrl: null, docExpansion: 'list' });</script></body></html>`;
