import { createServer, type Server } from 'node:http';
import { verifies } from '@waymark/contract/testing';
import type { OpenApiDocument } from '@waymark/openapi';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { loadScalar } from '../openapi-peers/load-scalar.ts';
import { launchBrowser } from './device-pages.ts';
import { fetchReferenceDocument } from './reference-document.ts';

const executablePath = inject('chromium');
describe.skipIf(executablePath === '')('Scalar', () => {
  let document: OpenApiDocument;
  let server: Server;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    const script = loadScalar();
    document = await fetchReferenceDocument();
    const files: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
      '/': ['text/html', page],
      '/scalar.js': ['text/javascript', script],
      '/openapi.json': ['application/json', JSON.stringify(document)],
    };
    server = createServer((request, response) => {
      const [type, body] = files[request.url ?? ''] ?? ['text/plain', ''];
      response.setHeader('content-type', `${type}; charset=utf-8`).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    browser = await launchBrowser(executablePath);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it('shows the document of the reference application without an error, and every operation of it', async () => {
    verifies('openapi.scalar');
    const opened = await browser.newPage();
    const errors: string[] = [];
    opened.on('pageerror', ({ message }) => errors.push(message));
    opened.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    await opened.goto(url);
    const expected = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { tags }]) => `#tag/${tags[0]}/${method.toUpperCase()}${path}`),
    );
    const listed = (): Promise<readonly string[]> =>
      opened
        .locator('a[href*="#tag/"]')
        .evaluateAll((links) =>
          links.map((link) => link.getAttribute('href') ?? '').filter((href) => href.split('/').length > 2),
        );
    await expect
      .poll(async () => [...new Set(await listed())].toSorted(), { timeout: 30_000 })
      .toEqual(expected.toSorted());
    // And one of them as a whole.
    await opened.locator('a[href$="#tag/tickets/POST/tickets"]').first().click();
    await opened.getByRole('heading', { name: 'Creates a row of tickets.' }).waitFor();
    expect(errors).toEqual([]);
    await opened.close();
  });
});

const page = `<!doctype html><html lang="en"><head><title>API</title><link rel="icon" href="data:,"></head><body><div id="ui"></div>
<script src="/scalar.js"></script><script>Scalar.createApiReference('#ui', { url: '/openapi.json', withDefaultFonts: false,
telemetry: false, agent: { disabled: true }, mcp: { disabled: true }, defaultOpenAllTags: true });</script></body></html>`;
