import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser } from './device-pages.ts';
import { keys, openYard, type Yard, type YardClient, yardClientSource } from './hub-client-yard.ts';

const executablePath = inject('chromium');
const ky = join(import.meta.dirname, '../../node_modules/ky/distribution');
const html = '<!doctype html><script type="importmap">{ "imports": { "ky": "/ky/index.js" } }</script>';

/** Serves a page, the client as a browser reads it, and `ky`. */
const pages: RequestListener = ({ url = '' }, res) => {
  const script = (text: string): unknown => res.setHeader('content-type', 'text/javascript').end(text);
  if (url === '/client.js') script(stripTypeScriptTypes(yardClientSource(), { mode: 'transform' }));
  else if (url.startsWith('/ky/')) script(readFileSync(join(ky, url.slice('/ky'.length)), 'utf8'));
  else res.setHeader('content-type', 'text/html').end(html);
};

describe.skipIf(executablePath === '')('devices of a generated client in a browser', () => {
  let yard: Yard;
  let browser: Browser;
  beforeAll(async () => {
    yard = await openYard({ fallback: pages });
    browser = await launchBrowser(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
    await yard.close();
  });

  /** Runs in a page, with a client of its own. @param hear told what the page writes to its console */
  async function inPage<T>(
    key: string,
    run: (client: YardClient) => Promise<T>,
    hear: (text: string) => void = () => {},
  ): Promise<T> {
    const page = await browser.newPage();
    page.on('console', (message) => hear(message.text()));
    await page.goto(yard.url);
    const program = `import('/client.js').then(async ({ createClient }) =>
      (${run.toString()})(createClient({ baseUrl: location.origin, apiKey: ${JSON.stringify(key)} })))`;
    return (await page.evaluate(program)) as T;
  }

  it('publish and stream, across a restart of the server', async () => {
    verifies('client.devices');
    const first = inPage(keys.operator, async (client) => {
      const seen: unknown[] = [];
      const publisher = client.devices.door.publish();
      // The smallest GIF there is.
      const bytes = Uint8Array.from(atob('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='), (c) => c.charCodeAt(0));
      publisher.frame(bytes);
      publisher.telemetry({ from: 'a page' });
      for await (const event of client.devices.door.stream()) {
        if (event.type === 'frame')
          seen.push([event.bytes.constructor.name, event.bytes.length === bytes.length]);
        if (event.type === 'telemetry') seen.push(event.data);
        if (seen.length === 2) break;
      }
      publisher.close();
      return seen;
    });
    expect(await first).toEqual(expect.arrayContaining([['Uint8Array', true], { from: 'a page' }]));

    const heard: string[] = [];
    const watch = async (client: YardClient): Promise<string[]> => {
      const boots: string[] = [];
      for await (const event of client.devices.door.stream()) {
        if (event.type !== 'hello') continue;
        boots.push(event.boot);
        console.log('greeted');
        if (boots.length === 2) break;
      }
      return boots;
    };
    const second = inPage(keys.viewer, watch, (text) => void heard.push(text));
    await expect.poll(() => heard).toContain('greeted');
    await yard.close();
    yard = await openYard({ port: yard.port, fallback: pages });
    expect(new Set(await second).size).toBe(2);
  });

  it('say why they were refused', async () => {
    verifies('client.devices');
    const refused = await inPage(keys.camera, async (client) => {
      const reason = await client.devices.door
        .stream()
        .next()
        .catch((error: unknown) => error);
      const { name, status } = reason as { readonly name: string; readonly status: number };
      return [name, status];
    });
    expect(refused).toEqual(['ProblemError', 403]);
  });
});
