import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  accessibilityFaults,
  isWiderThanItsWindow,
  launchBrowser,
  looks,
  type OpenOptions,
  openDevicePage,
  photograph,
} from './device-pages.ts';
import { type Program, startProgram } from './program.ts';
import { application, secrets } from './served.ts';

const executablePath = inject('chromium');
const env = {
  OPERATOR_KEY: 'operator-key-of-the-sign-in',
  DEVICE_KEY: 'device-key-of-the-sign-in',
  READER_KEY: 'reader-key-of-the-sign-in',
};
const body = 'There is smoke';
/** Where pictures of the pages are left for whoever wants to look at them. */
const pictures = process.env['PICTURES'];

describe.skipIf(executablePath === '')('somebody with a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sign-in-'));
  let program: Program;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    program = startProgram('apps/server/example/main.ts', {
      cwd: folder,
      env: { ...env, PORT: '0', LOG_LEVEL: 'info' },
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

  const open = (path: string, options?: OpenOptions) => openDevicePage(browser, url + path, options);
  const picture = async (page: Page, name: string, dark = false): Promise<void> => {
    if (pictures) await photograph(page, join(pictures, name), dark);
  };
  async function signIn(page: Page, key: string): Promise<void> {
    await page.getByLabel('Key or token').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  it('signs in by a form, reads what is in a ticket, and leaves nothing behind', async () => {
    verifies('session.page.user', 'session.cookie.hidden');
    const { page, faults } = await open('/board');
    expect(await page.locator('main').innerText()).not.toContain(body);
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await signIn(page, 'this-is-not-a-key-of-anybody');
    await page.getByText('This key or token is not known here.').waitFor();
    await signIn(page, env.OPERATOR_KEY);
    await page.getByText('Signed in as operator').waitFor();
    expect(page.url()).toBe(`${url}/board`);
    expect(await page.locator('main').innerText()).toContain(body);
    await page.getByRole('link', { name: 'Printer on fire' }).click();
    await page.getByText(body).waitFor();
    // No script of a page reads it, and none is needed.
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({
      name: 'waymark-support-desk',
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
    });
    // Pages may ask for more with it.
    expect(await page.evaluate(() => fetch('/tickets').then(({ status }) => status))).toBe(200);
    const post = { method: 'POST', body: '{"title":"x"}', headers: { 'content-type': 'application/json' } };
    expect(await page.evaluate((sent) => fetch('/tickets', sent).then(({ status }) => status), post)).toBe(
      201,
    );

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
    await page.goBack();
    await page.getByText('Sign in to read it.').waitFor();
    expect(await page.locator('body').innerText()).not.toContain(body);
    expect(await page.context().cookies()).toEqual([]);
    // What was copied of it is worth nothing either.
    const copied = { cookie: `${cookie?.name}=${cookie?.value}` };
    expect((await fetch(`${url}/tickets`, { headers: copied })).status).toBe(401);
    expect(faults).toEqual([]);
    for (const secret of [cookie?.value ?? '', env.OPERATOR_KEY])
      expect(program.stdout()).not.toContain(secret);
    await page.context().close();
  });

  it.each(looks)('finds pages that everybody can use, $name', async ({ name, dark, width }) => {
    verifies('face.html.looks');
    const { page, faults } = await open('/_svc/sign-in?to=/board', { width });
    const check = async (what: string): Promise<void> => {
      await picture(page, `${what} ${name}`, dark);
      expect([what, await accessibilityFaults(page, dark), await isWiderThanItsWindow(page)]).toEqual([
        what,
        [],
        false,
      ]);
    };
    await check('sign-in');
    await signIn(page, `not-a-key-${'x'.repeat(200)}`);
    await page.getByRole('alert').waitFor();
    await check('refused');
    await page.goto(`${url}/nope/${'a-long-name-'.repeat(20)}`);
    await check('missing');
    await page.goto(`${url}/tickets`);
    await check('unknown');
    await page.goto(`${url}/board`);
    await check('board of anybody');
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await signIn(page, env.READER_KEY);
    await page.getByText('Signed in as reader').waitFor();
    await check('board of a reader');
    await page.goto(`${url}/board/1`);
    await check('ticket');
    await page.goto(`${url}/_svc/sign-in`);
    await check('signed in');
    await page.goto(`${url}/_svc/routes`);
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
    await check('forbidden');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('is led to sign in again when a session has expired', async () => {
    verifies('session.worthless');
    let aheadMs = 0;
    const app = application({ description: 'A shop.' });
    app.apiKey('SHOP_KEY', 'operator', { scopes: ['shop:read'] });
    app.get('/inside', { scopes: ['shop:read'] }, (_, { user }) => `for ${user.id}`);
    const running = await app.listen({
      development: {
        clock: {
          now: () => Date.now() + aheadMs,
          monotonic: () => performance.now(),
          after: (ms, run) => {
            const timer = setTimeout(() => void run(), ms);
            return () => clearTimeout(timer);
          },
        },
      },
    });
    const { page, faults } = await openDevicePage(browser, `${running.url}/`);
    await picture(page, 'start');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto(`${running.url}/inside`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, secrets.SHOP_KEY);
    await page.getByText('for operator').waitFor();
    aheadMs = 12 * 3_600_000;
    await page.reload();
    await page.getByRole('heading', { name: 'Please sign in' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, secrets.SHOP_KEY);
    await page.getByText('for operator').waitFor();
    expect(page.url()).toBe(`${running.url}/inside`);
    expect(faults).toEqual([]);
    await page.context().close();
    await running.close();
  });
});
