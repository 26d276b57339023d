import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
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
    browser = await chromium.launch({
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
      ],
    });
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
