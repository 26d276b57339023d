import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { type TestedApplication, testApplication } from '@waymark/server/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, openDevicePage } from './device-pages.ts';

const executablePath = inject('chromium');
const root = join(import.meta.dirname, '..', '..');
const secret = 'the-key-of-an-editor';

describe.skipIf(executablePath === '')('the example with a client in React', () => {
  let browser: Browser;
  let app: TestedApplication;
  beforeAll(async () => {
    const bin = join(root, 'node_modules', '.bin');
    execFileSync('npm', ['run', 'build'], {
      cwd: join(root, 'examples', 'todo'),
      env: { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) },
      stdio: 'pipe',
    });
    process.env['EDITOR_KEY'] = secret;
    const { application } = await import('../../examples/todo/application.ts');
    app = await testApplication(application);
    browser = await launchBrowser(executablePath);
  });
  afterAll(async () => {
    delete process.env['EDITOR_KEY'];
    await browser?.close();
    await app?.close();
  });

  it('adds, ticks off and removes, once somebody has signed in', async () => {
    const { page, faults } = await openDevicePage(browser, app.url);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel(/key or token/i).fill(secret);
    await page.keyboard.press('Enter');
    await page.getByLabel('To do').fill('Sweep.');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Sweep.' }).click();
    await page.locator('s', { hasText: 'Sweep.' }).waitFor();
    await page.reload();
    await page.locator('s', { hasText: 'Sweep.' }).waitFor();
    expect(await app.as('editor').json('/todos')).toEqual([{ id: 1, text: 'Sweep.', done: true }]);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('listitem').waitFor({ state: 'detached' });
    expect(await app.as('editor').json('/todos')).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
