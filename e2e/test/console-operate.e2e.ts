import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { verifies } from '@waymark/contract/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { callers } from './agents-application.ts';
import { openConsole } from './console-desk.ts';
import { startYard, type Yard } from './console-yard.ts';
import { launchBrowser } from './device-pages.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === '')('the console of those who look after a service', () => {
  let yard: Yard;
  let browser: Browser;
  beforeAll(async () => {
    [yard, browser] = await Promise.all([startYard(), launchBrowser(executablePath)]);
  });
  afterAll(async () => {
    await browser?.close();
    await yard?.close();
  });
  const open = (place: string, key: string = callers.ANN_KEY) =>
    openConsole(browser, yard.app.url, place, { key });
  const go = (page: Page, place: string) => page.goto(`${yard.app.url}/_svc/console${place}`);

  it('shows that a camera died, and that it is back', async () => {
    verifies('console.devices');
    const { page, context, faults } = await open('#/devices');
    const card = page.getByRole('article', { name: 'gate' });
    await card.locator('img').waitFor();
    await card.getByText('online').waitFor();
    yard.camera.isDown = true;
    await card.getByText(/^(?:stale|offline)$/).waitFor();
    await card.getByText(/failures?: \S/).waitFor();
    // The last picture stays, and does not look like one of now.
    await card.locator('.live[data-old="true"] img').waitFor();
    yard.camera.isDown = false;
    await card.getByText('online').waitFor();
    await card.locator('.live[data-old="false"] img').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('asks for no picture while nobody looks', async () => {
    verifies('console.devices-frugal');
    const { page, context } = await open('#/devices');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    const pictures = () => asked.filter((url) => url.endsWith('/latest')).length;
    const listings = () => asked.filter((url) => url.endsWith('/_svc/devices')).length;
    await expect.poll(pictures).toBeGreaterThan(1);
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    const [before, listed] = [pictures(), listings()];
    await expect.poll(listings).toBeGreaterThan(listed + 1);
    // One may have been on its way.
    expect(pictures() - before).toBeLessThanOrEqual(1);
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await expect.poll(pictures).toBeGreaterThan(before + 1);
    await context.close();
  });

  it('shows what a watcher concluded, with the picture and within what ceilings', async () => {
    verifies('console.insights');
    const { page, context, faults } = await open('#/devices/gate');
    const insights = page.getByRole('region', { name: 'Insights' });
    await insights.getByText('A ball went by.').first().waitFor();
    await insights
      .getByRole('button', { name: /show it large/ })
      .first()
      .click();
    await page.getByRole('dialog').locator('img').waitFor();
    await page.keyboard.press('Escape');
    const watcher = page.getByRole('region', { name: 'Watcher gate_watch' });
    await watcher.getByText(/^\d of 3$/).waitFor();
    await watcher.getByText(/of \$5\.00$/).waitFor();
    await watcher.getByRole('link', { name: 'guard' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('draws readings as they come', async () => {
    verifies('console.readings');
    const { page, context, faults } = await open('#/devices/scale');
    await page.getByText('Nobody watches it').waitFor();
    for (const kilograms of [40, 41]) {
      await yard.app.send('/devices/scale/telemetry', { kilograms, unit: 'kg' });
      await page
        .getByRole('region', { name: 'Readings' })
        .getByText(String(kilograms), { exact: true })
        .waitFor();
    }
    await page
      .getByRole('img', { name: /^kilograms: 2 readings from 40 to 41$/ })
      .locator('canvas')
      .waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('finds the most expensive run, and saves the ledger', async () => {
    verifies('console.usage');
    await yard.app.ask('clerk', '[[say Short.]]');
    const { value } = await yard.app.ask(
      'clerk',
      `[[call weigh {"id":1}]] [[say ${'It is long. '.repeat(200)}]]`,
    );
    await yard.app.ask('clerk', '[[say Short.]]', 'BEN_KEY');
    const { page, context, faults } = await open('#/usage');
    const dearest = page.getByRole('region', { name: 'Most expensive runs' }).getByRole('listitem').first();
    await expect.poll(() => dearest.getByRole('link').getAttribute('href')).toBe(`#/runs/${value.run_id}`);
    expect(await dearest.innerText()).toMatch(/clerk\s*\$0\.\d+/);
    await page.getByRole('button', { name: 'By caller' }).click();
    const table = page.getByRole('table', { name: 'Spent by caller' });
    // The one that spent most is first.
    await expect.poll(() => table.getByRole('row').nth(1).innerText()).toMatch(/^ann/);
    await table.getByText('ben').waitFor();
    await page
      .getByRole('figure', { name: /by caller over time/ })
      .locator('canvas')
      .waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('spend.csv');
    expect(readFileSync(await download.path(), 'utf8')).toMatch(
      /^time,caller,model,[\s\S]*\bann,simulator\/claude-opus-5,/,
    );
    await dearest.getByRole('link').click();
    await page.getByRole('button', { name: /weigh/ }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('filters the log, follows it, and has an address for each event', async () => {
    verifies('console.audit');
    const { page, context, faults } = await open('#/audit?kind=tool_called&route=weigh');
    await page.getByText('as it happens').waitFor();
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
    const count = async () => Math.max(0, (await rows.count()) - 1);
    await expect.poll(count).toBeGreaterThan(0);
    const before = await count();
    expect(await rows.allInnerTexts().then((all) => all.slice(1))).toEqual(
      Array.from({ length: before }, () => expect.stringContaining('weigh')),
    );
    await yard.app.send('/weights/7');
    await expect.poll(count).toBe(before + 1);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Event' }).getByText('ann called weigh through http').waitFor();
    const address = page.url();
    expect(address).toMatch(/#\/audit\/[0-9A-Z]{26}\?kind=tool_called&route=weigh$/);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('auth_refused');
    await page.getByText('No event is like that').waitFor();
    expect(faults).toEqual([]);
    await context.close();
    // Somebody who was sent the address, with the log long gone on.
    const other = await open(address.slice(address.indexOf('#')).replace('weigh', 'elsewhere'));
    await other.page
      .getByRole('region', { name: 'Event' })
      .getByText('ann called weigh through http')
      .waitFor();
    await other.context.close();
  });

  it('sends a message again that did not arrive', async () => {
    verifies('console.webhooks');
    yard.receiver.status = 500;
    await yard.app.ask('clerk', '[[say Told.]]');
    const { page, context, faults } = await open('#/webhooks');
    await page.getByRole('link', { name: 'notify:desk' }).click();
    const failed = page.getByRole('row').filter({ hasText: 'waiting' }).first();
    await failed.getByText('it answered 500').waitFor();
    yard.receiver.status = 204;
    const told = yard.receiver.ids.length;
    await failed.getByRole('button', { name: /^Send again: / }).click();
    await page.getByText('1 message on the way.').waitFor();
    await page.getByRole('row').filter({ hasText: 'waiting' }).waitFor({ state: 'detached' });
    // The same one, by its id.
    expect(yard.receiver.ids.slice(0, told)).toContain(yard.receiver.ids.at(-1));
    expect(faults).toEqual([]);
    await context.close();
  });

  it('shows a route as a line that a shell runs, an MCP call and a schema', async () => {
    verifies('console.routes');
    const { page, context, faults } = await open('#/routes');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('weigh');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'GET /weights/{id}' }).waitFor();
    const surface = (name: string) =>
      page.getByRole('region', { name, exact: true }).locator('pre').innerText();
    const curl = await surface('curl');
    expect(curl).not.toContain(callers.ANN_KEY);
    // The service is in this process.
    const { stdout } = await promisify(execFile)('sh', ['-c', curl.replace('curl', 'curl -s')], {
      env: { PATH: process.env['PATH'], KEY: callers.CAT_KEY },
    });
    expect(JSON.parse(stdout)).toEqual({ id: 1, kilograms: 12 });
    const message = JSON.parse(await surface('MCP call')) as object;
    const called = await yard.app.send('/_svc/mcp', message, 'ANN_KEY', {
      accept: 'application/json, text/event-stream',
    });
    expect(called.text).toContain('kilograms');
    expect(JSON.parse(await surface('Schema'))).toMatchObject({
      input: { properties: { id: { type: 'integer' } } },
    });
    await page.getByText('read', { exact: true }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('shows the docs page inside, at the route that one comes from', async () => {
    verifies('console.reference');
    const { page, context, faults } = await open('#/routes/GET%20%2Fweights%2F%7Bid%7D');
    await page.getByRole('link', { name: 'See it in the reference' }).click();
    await page.waitForURL(/#\/reference\/\w+$/);
    const inside = page.frameLocator('iframe[title="API reference"]');
    // It knows who is signed in here.
    await inside.getByRole('heading', { name: '/weights/{id}' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'GET /weights/{id}' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('tells whoever calls a gated tool from its form without its scope what is missing', async () => {
    verifies('console.call-refused');
    const { page, context, faults } = await open('#/routes/POST%20%2Fpayments');
    const form = page.getByRole('region', { name: 'Call it' });
    await form.getByLabel('euros').fill('40');
    await form.getByRole('button', { name: 'Call' }).click();
    await form.getByText(/\bpay\b.*\(403\)/).waitFor();
    await form.getByText('Sign in with a key that holds this scope.').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('reads what the application keeps, and changes nothing', async () => {
    verifies('console.data');
    for (let i = 1; i <= 130; i++)
      await yard.app.send('/loads', { goods: i === 77 ? 'salt' : 'sand', tons: i });
    await yard.app.send('/notes/remember', { key: 'bridge', value: 'Twelve tons at most.' });
    const { page, context, faults } = await open('#/data/loads');
    const methods: string[] = [];
    page.on('request', (request) => void methods.push(request.method()));
    const rows = page.getByRole('table', { name: 'Rows of loads' });
    await page.getByText('100 rows so far').waitFor();
    await rows.locator('.body').evaluate((body) => body.scrollTo(0, 1e6));
    await page.getByText(/^130 rows$/).waitFor();
    await page.getByRole('combobox', { name: 'Field' }).selectOption('goods');
    await page.getByRole('textbox', { name: 'is exactly' }).fill('salt');
    await page.keyboard.press('Enter');
    await page.getByText(/^1 row$/).waitFor();
    await rows.getByRole('link', { name: '77' }).click();
    await page.getByRole('region', { name: 'Row' }).getByText('salt').waitFor();
    await page.getByRole('link', { name: 'notes' }).click();
    await page.getByRole('searchbox', { name: 'Words of what is kept' }).fill('tons');
    await page.keyboard.press('Enter');
    await page.getByText('Twelve tons at most.').waitFor();
    expect(methods.filter((one) => one !== 'GET')).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('shows findings with their fixes, and the limits in force', async () => {
    verifies('console.security');
    const { page, context, faults } = await open('#/security');
    const report = (await (
      await fetch(`${yard.app.url}/_svc/security`, { headers: { 'x-api-key': callers.ANN_KEY } })
    ).json()) as {
      readonly notes: readonly { readonly text: string; readonly fix: string | null }[];
      readonly limits: readonly object[];
    };
    const noted = report.notes.find(({ fix }) => fix !== null);
    await page.getByText(noted?.text ?? 'there is one').waitFor();
    await page
      .getByText(noted?.fix ?? 'there is one')
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Limits' }).click();
    await page.getByText(`${report.limits.length} limits in force`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('request timeout');
    await page.getByRole('cell', { name: '30 s' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('tells a key that only reads what it lacks, on every page', async () => {
    verifies('console.reader');
    const { page, context, faults } = await open('#/', callers.CAT_KEY);
    for (const place of ['devices', 'routes', 'usage', 'audit', 'webhooks', 'security', 'data']) {
      await go(page, `#/${place}`);
      await page.getByText(/does not hold the scope svc:admin/).waitFor();
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
