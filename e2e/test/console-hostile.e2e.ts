import { verifies } from '@waymark/contract/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Desk, openConsole, startDesk } from './console-desk.ts';
import { launchBrowser } from './device-pages.ts';

const executablePath = inject('chromium');

/** Each runs, sends or navigates where it is taken for markup, a script or an address. */
const corpus = [
  '<script>globalThis.ran=1</script>',
  '<img src=x onerror="globalThis.ran=1">',
  '<svg onload=globalThis.ran=1><animate onbegin=globalThis.ran=1>',
  '"><iframe srcdoc="<script>parent.ran=1</script>">',
  '<a href="javascript:globalThis.ran=1" autofocus onfocus=globalThis.ran=1>x</a>',
  '<style>@import "http://198.51.100.1/x.css"</style><link rel=stylesheet href=http://198.51.100.1/y>',
  '![x](http://198.51.100.1/p.png) [y](javascript:alert(1)) <base href=http://198.51.100.1/>',
  '{{constructor.constructor("globalThis.ran=1")()}} ${globalThis.ran=1} \u202e\u2066\u0007',
] as const;

describe.skipIf(executablePath === '')('the console of operators, among hostile texts', () => {
  let desk: Desk;
  let browser: Browser;
  beforeAll(async () => {
    [desk, browser] = await Promise.all([startDesk(), launchBrowser(executablePath)]);
  });
  afterAll(async () => {
    await browser?.close();
    await desk?.close();
  });

  it('shows titles, answers and arguments as the text that they are', async () => {
    verifies('console.hostile', 'console.policy');
    const all = corpus.join(' ');
    // Titles that tools give, arguments that tools are given, and words of a model.
    await desk.post('/tickets', { title: `locked ${corpus[1]}`, body: all, status: 'open', urgent: false });
    await desk.post('/behaviours/triage', { escalate: true });
    const told = await desk.post('/agents/support', {
      input: `[[call list_open_tickets {}]] [[call notes_remember ${JSON.stringify({ key: 'k', value: all })}]] [[say ${corpus.slice(0, 5).join(' ')}]] ${all}`,
    });
    const { run_id: run } = await desk.post('/agents/support', {
      input: `[[call refund ${JSON.stringify({ customer: 1, euros: 5, reason: all })}]] [[say Paid.]]`,
    });
    expect(told['status']).toBe('completed');
    const { page, context, faults } = await openConsole(browser, desk.url, '#/');
    await page.waitForSelector('.events li');
    const places = [
      '#/approvals',
      `#/runs/${String(run)}`,
      `#/runs/${String(told['run_id'])}`,
      '#/runs/%3Cimg%20src%3Dx%20onerror%3D%22globalThis.ran%3D1%22%3E',
      '#/%3Cscript%3EglobalThis.ran=1%3C%2Fscript%3E',
    ];
    for (const place of places) {
      await page.goto(`${desk.url}/_svc/console${place}`);
      await page.waitForSelector('h1');
      for (const step of await page.locator('.trace-line').all()) await step.click();
      for (const json of await page.getByRole('button', { name: 'JSON' }).all()) await json.click();
    }
    await page.goto(`${desk.url}/_svc/console#/runs/${String(told['run_id'])}`);
    await page.locator('pre', { hasText: corpus[0] }).first().waitFor();
    await page.goto(`${desk.url}/_svc/console#/playground/agent/support`);
    await page.fill('#words', `[[call list_open_tickets {}]] [[say ${corpus[1]} ${corpus[4]}]] ${all}`);
    await page.keyboard.press('Enter');
    await page.locator('.answer', { hasText: corpus[1] }).waitFor();
    await page.locator('summary').first().click();
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(await page.locator('img, iframe, main script, main link, base, .frame svg').count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });
});
