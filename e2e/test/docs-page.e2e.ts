import { createClient } from '@waymark/client';
import { verifies } from '@waymark/contract/testing';
import type { OpenApiDocument } from '@waymark/openapi';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  accessibilityFaults,
  isWiderThanItsWindow,
  launchBrowser,
  looks,
  openDevicePage,
} from './device-pages.ts';
import { docsKeys, openDocs, type StartedReference, startReference } from './docs-page-reference.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === '')('the page of the document', () => {
  let reference: StartedReference;
  let browser: Browser;
  beforeAll(async () => {
    [reference, browser] = await Promise.all([startReference(), launchBrowser(executablePath)]);
  });
  afterAll(async () => {
    await browser?.close();
    await reference?.stop();
  });
  const open = (options?: Parameters<typeof openDocs>[2]) => openDocs(browser, reference.docs, options);
  const answer = (page: Page) => page.getByRole('region', { name: 'Answer' });
  const status = (page: Page) => answer(page).locator('.answer-line .status').innerText();

  it('asks for a key, says why one does not fit, and shows nothing before', async () => {
    verifies('docs-page.asks', 'docs-page.no-facts', 'docs-page.policy');
    const { page, faults } = await openDevicePage(browser, reference.docs);
    await page.getByRole('heading', { name: 'API documentation' }).waitFor();
    const anonymous = await page.content();
    expect(anonymous).not.toMatch(/support|desk|tickets/i);
    await page.keyboard.type('nobody-knows-this-key');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'This key is not known' }).waitFor();
    await page.keyboard.type(docsKeys.READER_KEY);
    await page.keyboard.press('Enter');
    await page.getByText('missing scope "svc:admin"').waitFor();
    await page.keyboard.type(docsKeys.OPERATOR_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'support-desk' }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('finds an operation by keyboard alone, calls it and keeps its address', async () => {
    verifies('docs-page.search', 'docs-page.calls', 'docs-page.key', 'docs-page.accessible');
    const { page, faults } = await open();
    const sent: string[] = [];
    page.on('request', (request) => void sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.keyboard.press('/');
    await page.keyboard.type('lists tickets');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Lists rows of tickets/ }).waitFor();
    expect(page.url()).toBe(`${reference.docs}#/list_tickets`);
    // The focus went along: the form is a few steps on.
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.tagName')) === 'INPUT') break;
    }
    await page.keyboard.type('2');
    expect(await page.getByRole('group', { name: 'The call for curl' }).innerText()).toBe(
      `curl '${reference.url}/tickets?limit=2' \\\n  -H "x-api-key: $KEY"`,
    );
    await page.keyboard.press('Enter');
    await expect.poll(() => status(page)).toBe('200');
    expect(await answer(page).innerText()).toContain('"title": "Printer on fire"');
    await answer(page)
      .getByText(/^\d+ headers$/)
      .click();
    await expect.poll(() => answer(page).innerText()).toContain('x-request-id');

    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).toBe(
      '[{},{},""]',
    );
    expect(sent.filter((one) => one.includes(docsKeys.OPERATOR_KEY))).toEqual([]);
    expect(await page.content()).not.toContain(docsKeys.OPERATOR_KEY);
    // Gone with the page; the address stays.
    await page.reload();
    await page.getByLabel('Key').fill(docsKeys.OPERATOR_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Lists rows of tickets/ }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'support-desk' }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows every operation of the document', async () => {
    verifies('docs-page.shown');
    const { page, faults } = await open();
    const headers = { 'x-api-key': docsKeys.OPERATOR_KEY };
    const document = (await (
      await fetch(new URL('openapi.json', reference.docs), { headers })
    ).json()) as OpenApiDocument;
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(await page.locator('.overview .row').count()).toBe(operations.length);
    const shown = (await page.evaluate(`(async () => {
      const shown = [];
      // What it says is read, nothing of it drawn.
      document.documentElement.style.contentVisibility = 'hidden';
      for (const id of ${JSON.stringify(operations.map(({ operationId }) => operationId))}) {
        const changed = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
        location.hash = '#/' + id;
        await changed;
        for (let depth = 0; depth < 3; depth++) {
          for (const one of document.querySelectorAll('.described details')) one.open = true;
          await new Promise((resolve) => setTimeout(resolve));
        }
        shown.push({ title: document.querySelector('h1').textContent, text: document.querySelector('.described').textContent });
      }
      return shown;
    })()`)) as readonly { readonly title: string; readonly text: string }[];
    expect(shown.map(({ title }) => title)).toEqual(operations.map(({ summary }) => summary));
    for (const [i, { parameters = [], responses }] of operations.entries())
      for (const word of [...parameters.map(({ name }) => name), ...Object.keys(responses)])
        expect(shown[i]?.text).toContain(word);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('sends what changes something by its button alone, and tells faults beside their fields', async () => {
    verifies('docs-page.errors', 'docs-page.meant');
    const { page, faults } = await open({ operation: 'create_tickets' });
    const sent: string[] = [];
    page.on('request', (request) => void sent.push(request.method()));
    const title = page.getByLabel('title');
    await title.fill('');
    await page.getByLabel('customer').fill('nobody');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await page.getByText('is needed').waitFor();
    await page.getByText('is not a whole number').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
    await page.getByLabel('customer').fill('');
    await title.fill('x'.repeat(201));
    await title.press('Enter');
    expect(sent).toEqual([]);
    await page.getByRole('button', { name: 'Send POST' }).press('Enter');
    await expect.poll(() => status(page)).toBe('422');
    expect(await title.getAttribute('aria-invalid')).toBe('true');
    const [, said = ''] = ((await title.getAttribute('aria-describedby')) ?? '').split(' ');
    expect(await page.locator(`[id="${said}"]`).innerText()).toContain('200 characters');
    expect(sent).toEqual(['POST']);

    // As JSON, what no field has a place for.
    await title.fill('Broken chair');
    await page.getByRole('button', { name: 'Body as JSON' }).click();
    await page.getByRole('textbox', { name: /^Body/ }).fill('{"title":"Broken chair","colour":"red"}');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await answer(page).getByText('/colour is not known', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: /^Body/ }).fill('{"title":"Broken chair","urgent":true}');
    await page.getByRole('button', { name: 'Body as JSON' }).click();
    expect(await page.getByLabel('urgent').inputValue()).toBe('true');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await expect.poll(() => status(page)).toBe('201');
    const { id } = JSON.parse(await answer(page).locator('pre').innerText()) as { readonly id: number };

    // What is gone is gone: twice.
    await page.goto(`${reference.docs}#/delete_tickets`);
    await page.getByLabel('id').fill(`${id}`);
    sent.length = 0;
    await page.getByRole('button', { name: 'Send DELETE' }).click();
    await page.getByRole('button', { name: 'Press again to send DELETE' }).waitFor();
    expect(sent).toEqual([]);
    await page.getByRole('button', { name: 'Press again to send DELETE' }).click();
    await expect.poll(() => status(page)).toBe('204');
    expect(sent).toEqual(['DELETE']);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('says why a call is refused, and calls with whatever somebody is', async () => {
    verifies('docs-page.errors', 'docs-page.key');
    const { page, faults } = await open({ operation: 'create_tickets' });
    await page.context().addCookies([{ name: 'session', value: 'somebody', url: reference.url }]);
    const cookies: (string | undefined)[] = [];
    page.on('request', async (request) => void cookies.push((await request.allHeaders())['cookie']));
    await page.getByText('With a key').click();
    await page.getByLabel('Key for calls').fill(docsKeys.READER_KEY);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await page.getByText('This key may not do that: it needs the scope tickets:write.').waitFor();
    expect(await status(page)).toBe('403');
    await page.getByText('With a key').click();
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page
      .getByText('Without a key this call is refused: it needs one with the scope tickets:write.')
      .waitFor();
    await page.getByRole('button', { name: 'Send POST' }).click();
    await page.getByText('This call needs a key with the scope tickets:write. Enter one above.').waitFor();
    expect(await status(page)).toBe('401');
    // A session of this origin counts only where no key was typed.
    await expect.poll(() => cookies).toEqual([undefined, 'session=somebody']);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows progress as it comes, and pictures', async () => {
    verifies('docs-page.events', 'docs-page.calls');
    const { page, faults } = await open({ operation: 'support' });
    await page.getByLabel('input').fill('Which tickets are open?');
    await page.getByLabel('Show what happens as it comes').check();
    await page.getByRole('button', { name: 'Send POST' }).click();
    await expect.poll(() => status(page)).toBe('200');
    const events = await page.locator('.events .event-name').allInnerTexts();
    expect([events.at(0), events.at(-1)]).toEqual(['run', 'result']);

    await page.goto(`${reference.docs}#/get_devices_lobby_latest`);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect
      .poll(() => page.evaluate('document.querySelector(".answer-panel img")?.naturalWidth ?? 0'))
      .toBeGreaterThan(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows the same call for curl, the client and MCP', async () => {
    verifies('docs-page.snippets');
    const { page, faults } = await open({ operation: 'escalate_ticket' });
    await page.getByLabel('id').fill('3');
    await page.getByRole('tab', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    const typescript = page.getByRole('group', { name: 'The call for TypeScript' });
    expect(await typescript.innerText()).toContain('await client.escalateTicket({ id: 3 })');
    await page.keyboard.press('ArrowRight');
    const message = await page.getByRole('group', { name: 'The call for MCP' }).innerText();
    expect(JSON.parse(message).params).toEqual({ name: 'escalate_ticket', arguments: { id: 3 } });
    await page.getByText('A human must approve this tool').waitFor();
    await page.goto(`${reference.docs}#/create_customers`);
    await page.getByRole('tab', { name: 'MCP' }).click();
    await page.getByText('It is no tool').waitFor();
    await page.goto(`${reference.docs}#/get_board`);
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    await page.getByText('The client has no method for it').waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('names the methods that the generated client has', async () => {
    verifies('docs-page.method-names');
    const client = createClient({ baseUrl: reference.url, apiKey: docsKeys.OPERATOR_KEY });
    const document = (await (
      await fetch(new URL('openapi.json', reference.docs), {
        headers: { 'x-api-key': docsKeys.OPERATOR_KEY },
      })
    ).json()) as OpenApiDocument;
    const named = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ 'x-waymark': { client: method } }) => (method === undefined ? [] : [method]));
    expect(named.length).toBeGreaterThan(60);
    expect(named).toEqual(expect.arrayContaining(['createTickets', 'control.approvals.decide']));
    const kinds = named.map((path) => {
      const found = path
        .split('.')
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], client);
      return typeof found;
    });
    expect(new Set(kinds)).toEqual(new Set(['function']));
    expect(new Set(named).size).toBe(named.length);
  });

  it.each(looks)('can be used by everybody, $name', async ({ dark, width }) => {
    verifies('docs-page.accessible');
    const { page, faults } = await openDevicePage(browser, reference.docs, { width });
    const check = async (): Promise<void> => {
      expect(await accessibilityFaults(page, dark)).toEqual([]);
      expect(await isWiderThanItsWindow(page)).toBe(false);
    };
    await page.getByLabel('Key').waitFor();
    await check();
    await page.getByLabel('Key').fill(docsKeys.OPERATOR_KEY);
    await page.keyboard.press('Enter');
    await page.locator('#main h1').waitFor();
    await check();
    for (const operation of ['list_tickets', 'create_tickets', 'support', 'delete_tickets']) {
      await page.goto(`${reference.docs}#/${operation}`);
      await page.locator('.calling').waitFor();
      await page.evaluate('for (const one of document.querySelectorAll("main details")) one.open = true');
      await check();
    }
    await page.goto(`${reference.docs}#/create_tickets`);
    await page.getByLabel('title').fill('x'.repeat(300));
    await page.getByRole('button', { name: 'Send POST' }).click();
    await expect.poll(() => status(page)).toBe('422');
    await page.getByText('With a key').click();
    await check();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
