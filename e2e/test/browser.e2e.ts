import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser } from './device-pages.ts';
import { countStyles, injectScript, watchPolicy } from './policy-actions.ts';
import { type Program, startProgram } from './program.ts';

const executablePath = inject('chromium');
const env = {
  OPERATOR_KEY: 'operator-key-of-the-browser',
  DEVICE_KEY: 'device-key-of-the-browser',
  READER_KEY: 'reader-key-of-the-browser',
};

describe.skipIf(executablePath === '')('the reference application in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'));
  let program: Program;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    program = startProgram('apps/server/example/main.ts', {
      cwd: folder,
      env: { ...env, PORT: '0', LOG_LEVEL: 'error' },
    });
    [, url = ''] = await program.saying(/url +(http:\S+)/);
    browser = await launchBrowser(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true });
  });

  it('is read by a page of its own, with a key', async () => {
    const page = await browser.newPage();
    await page.goto(url);
    expect(JSON.parse((await page.textContent('body')) ?? '')).toMatchObject({ app: 'support-desk' });
    const tickets = await page.evaluate(async (key) => {
      const response = await fetch('/tickets', { headers: { 'x-api-key': key } });
      return [response.status, await response.json()];
    }, env.READER_KEY);
    expect(tickets).toEqual([
      200,
      expect.arrayContaining([expect.objectContaining({ title: 'Printer on fire' })]),
    ]);
  });

  it.each(['/board', '/board/1', '/board/999'])(
    'has a page that works under its policy: %s',
    async (path) => {
      verifies('reference.policy');
      const page = await browser.newPage();
      const refused = await watchPolicy(page);
      const missing: string[] = [];
      page.on('response', (response) => {
        if (response.status() >= 400 && response.url() !== url + path) missing.push(response.url());
      });
      const answer = await page.goto(url + path, { waitUntil: 'networkidle' });
      expect(answer?.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(await countStyles(page)).toBeGreaterThan(10);
      expect(await page.evaluate(() => fetch('/assets/icon.svg').then(({ status }) => status))).toBe(200);
      expect([refused, missing]).toEqual([[], []]);
      // What an injected script would be is refused, and seen by this test.
      await injectScript(page);
      await expect.poll(() => refused).toEqual(['script-src-elem inline']);
      expect(await page.title()).not.toBe('ran');
      await page.close();
    },
  );

  it('is written by a page of its own, with a key that may', async () => {
    const page = await browser.newPage();
    await page.goto(url);
    const post = (key: string) =>
      page.evaluate(async (apiKey) => {
        const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
        const response = await fetch('/tickets', {
          method: 'POST',
          headers,
          body: '{"title":"From a page"}',
        });
        return response.status;
      }, key);
    expect(await post(env.OPERATOR_KEY)).toBe(201);
    expect(await post(env.READER_KEY)).toBe(403);
    expect(await post('not a key')).toBe(401);
  });
});
