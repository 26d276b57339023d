import { verifies } from '@waymark/contract/testing';
import type { Browser, FileChooser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { movingPicture } from '../../apps/server/example/moving-picture.ts';
import { type Desk, keys, type OpenedConsole, openByLink, startDesk } from './console-desk.ts';
import { type Fingers, fingersOn } from './console-fingers.ts';
import { launchBrowser } from './device-pages.ts';

const executablePath = inject('chromium');

/** What somebody wants to do, and with which keys. */
interface Journey {
  readonly does: string;
  by(fingers: Fingers, desk: Desk): Promise<void>;
}

const askRefund = async (desk: Desk, euros: number): Promise<string> =>
  String((await desk.post('/flows/refund', { customer: 1, euros }))['run_id']);

const statusOf = async (desk: Desk, id: string): Promise<unknown> => {
  const headers = { 'x-api-key': keys.OPERATOR_KEY };
  const response = await fetch(`${desk.url}/_svc/runs/${id}`, { headers });
  return ((await response.json()) as { readonly status: unknown }).status;
};

/** A question hears nothing in its first second. */
const armed = (fingers: Fingers, euros: number): Promise<void> =>
  fingers.page
    .locator('.question', { hasText: new RegExp(`euros\\s*${euros}`) })
    .locator('.button.primary:enabled')
    .waitFor();

const journeys: readonly Journey[] = [
  {
    does: 'reads which keys there are',
    by: async ({ press, page, focused }) => {
      await press('?');
      await page.getByRole('dialog').getByText('go to Approvals').waitFor();
      await press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await focused()).not.toBe('BODY');
    },
  },
  {
    does: 'looks over everything, and changes the theme',
    by: async ({ press, page, tabTo }) => {
      await press('g o');
      await page.locator('.events li').first().waitFor();
      await tabTo(/^Theme: auto$/, 'Shift+Tab');
      await press('Space');
      await page.getByRole('button', { name: /^Theme: (?:light|dark)$/ }).waitFor();
    },
  },
  {
    does: 'approves, and is at the next question',
    by: async (fingers, desk) => {
      const { press, tabTo, page, focused } = fingers;
      const [id, next] = [await askRefund(desk, 21), await askRefund(desk, 22)];
      await press('g a');
      await armed(fingers, 21);
      await tabTo(/^Approve/);
      await press('Enter');
      await expect.poll(() => statusOf(desk, id)).toBe('completed');
      await armed(fingers, 22);
      await expect.poll(focused).toMatch(/refund asks for refund_customer/);
      // Somebody else decides it while the focus is on its button.
      await tabTo(/^Approve/);
      const waiting = (await (
        await fetch(`${desk.url}/_svc/approvals`, { headers: { 'x-api-key': keys.OPERATOR_KEY } })
      ).json()) as { readonly approvals: readonly { readonly approval_id: string }[] };
      await desk.post(`/_svc/approvals/${waiting.approvals[0]?.approval_id}`, { approve: true });
      await page.getByText('Nothing waits for you').waitFor();
      expect(await statusOf(desk, next)).toBe('completed');
      expect(await focused()).not.toBe('BODY');
    },
  },
  {
    does: 'declines with a note, and reads it among the decided',
    by: async (fingers, desk) => {
      const { press, type, tabTo, page } = fingers;
      const id = await askRefund(desk, 23);
      await press('g a');
      await armed(fingers, 23);
      await press('n');
      await type('not without a receipt');
      await press('Enter');
      await press('r');
      await expect.poll(() => statusOf(desk, id)).toBe('failed');
      await tabTo(/^Decided$/, 'Shift+Tab');
      await press('Space');
      await page.getByText('not without a receipt', { exact: true }).waitFor();
    },
  },
  {
    does: 'filters runs and opens one of them, with its steps',
    by: async ({ press, type, tabTo, page }) => {
      await press('g r');
      await page.locator('.table .body .line').first().waitFor();
      await press('f');
      await type('comp');
      await expect.poll(() => page.url()).toMatch(/status=completed/);
      await tabTo(/^Name$/);
      await type('refund');
      await press('Enter');
      await expect.poll(() => page.url()).toMatch(/name=refund/);
      await tabTo(/^refund$/);
      await press('Enter');
      await tabTo(/^list_invoices/);
      await press('Enter');
      await page.getByRole('region', { name: 'Step list_invoices' }).waitFor();
      await press('u');
      await page.locator('.table .body .line').first().waitFor();
    },
  },
  {
    does: 'cancels a run',
    by: async ({ press, tabTo, page, focused }, desk) => {
      const id = await askRefund(desk, 24);
      await press('g a');
      await page.getByRole('link', { name: 'See the run so far' }).waitFor();
      await tabTo(/^See the run so far$/);
      await press('Enter');
      await page.getByRole('button', { name: /^Cancel/ }).waitFor();
      await press('c');
      await tabTo(/^Cancel the run$/);
      await press('Enter');
      await page.locator('header .badge', { hasText: 'cancelled' }).waitFor();
      expect(await statusOf(desk, id)).toBe('cancelled');
      await expect.poll(focused).not.toMatch(/^Cancel/);
    },
  },
  {
    does: 'stays in a field and on a row while others come in above it',
    by: async ({ press, type, tabTo, page, focused }, desk) => {
      await press('g r');
      await page.locator('.table .body .line').first().waitFor();
      // Nor is what is half written lost.
      const name = page.getByRole('textbox', { name: 'Name' });
      await tabTo(/^Name$/);
      await type('ref');
      const above = await askRefund(desk, 26);
      await page.locator(`.table a[href="#/runs/${above}"]`).waitFor();
      expect(await name.inputValue()).toBe('ref');
      await desk.post(`/_svc/runs/${above}/cancel`, {});
      await press('Backspace Backspace Backspace');
      await tabTo(/^refund$/);
      const link = (): Promise<unknown> => page.evaluate('document.activeElement.getAttribute("href")');
      const before = await link();
      const added = await askRefund(desk, 25);
      await page.locator(`.table a[href="#/runs/${added}"]`).waitFor();
      expect([await link(), await focused()]).toEqual([before, 'refund']);
      await desk.post(`/_svc/runs/${added}/cancel`, {});
    },
  },
  {
    does: 'talks to an agent, and decides what it asks',
    by: async ({ press, type, tabTo, page, focused }) => {
      await press('g p');
      await page.getByRole('link', { name: 'biller' }).waitFor();
      await tabTo(/^biller$/);
      await press('Enter');
      await page.getByRole('textbox', { name: 'Words to biller' }).waitFor();
      await press('i');
      await type('[[call refund_customer {"id":1,"euros":15}]] [[say All is paid back.]]');
      await press('Enter');
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
      await tabTo(/^Approve$/, 'Shift+Tab');
      await press('Space');
      await page.locator('.answer', { hasText: 'All is paid back.' }).waitFor();
      expect(await focused()).not.toBe('BODY');
    },
  },
  {
    does: 'chooses a picture for an agent, and takes it out again',
    by: async ({ press, tabTo, page, focused }) => {
      // Heard some keys before it comes: a browser that is told at the last moment shows a dialog of its own.
      const opened = new Promise<FileChooser>((resolve) => page.once('filechooser', resolve));
      await press('g p');
      await page.getByRole('link', { name: 'lookout' }).waitFor();
      await tabTo(/^lookout$/);
      await press('Enter');
      await page.getByRole('textbox', { name: 'Words to lookout' }).waitFor();
      await tabTo(/^Picture…$/);
      await press('Space');
      const buffer = Buffer.from(movingPicture(1_000));
      await (await opened).setFiles({ name: 'ball.png', mimeType: 'image/png', buffer });
      await page.getByText('1 picture will go along').waitFor();
      await tabTo(/^Take out$/);
      await press('Enter');
      await page.getByText('1 picture will go along').waitFor({ state: 'detached' });
      expect(await focused()).toMatch(/^Words to lookout$/);
      await press('Escape');
    },
  },
  {
    does: 'calls a route from its form',
    by: async ({ press, type, tabTo, page, focused }) => {
      await press('g t');
      await page.getByRole('searchbox').waitFor();
      await press('/');
      await type('list_invoices');
      await press('Escape');
      await page.getByText(/^1 route$/).waitFor();
      await press('j Enter');
      await page.getByRole('region', { name: 'Call it' }).waitFor();
      await tabTo(/^id$/);
      await type('2');
      await tabTo(/^Call$/);
      await press('Enter');
      await page.getByText(/^Answered/).waitFor();
      expect(await focused()).toBe('Call');
    },
  },
  {
    does: 'opens a device',
    by: async ({ press, tabTo, page }) => {
      await press('g d');
      await page.locator('.live img').first().waitFor();
      await tabTo(/\blobby\b/);
      await press('Enter');
      await page.locator('.device-view .live img').waitFor();
    },
  },
  {
    does: 'sorts what was spent by caller, and saves it',
    by: async ({ press, tabTo, page, focused }) => {
      await press('g u');
      await page.locator('.totals').waitFor();
      await tabTo(/^By caller$/);
      await press('Space');
      await page.getByRole('table', { name: 'Spent by caller' }).waitFor();
      await tabTo(/^Save as CSV$/);
      const saved = page.waitForEvent('download');
      await press('Enter');
      expect((await saved).suggestedFilename()).toBe('spend.csv');
      expect(await focused()).toBe('Save as CSV');
    },
  },
  {
    does: 'filters the log, stands still in it, and opens an event',
    by: async ({ press, type, tabTo, page }) => {
      await press('g l');
      await page.locator('.table .body .line').first().waitFor();
      await press('f');
      await type('tool called');
      await expect.poll(() => page.url()).toMatch(/kind=tool_called/);
      await tabTo(/^Run id$/);
      await tabTo(/\bcalled\b/);
      await press('l');
      await page.getByRole('button', { name: /^Follow/ }).waitFor();
      await press('j');
      await tabTo(/\bcalled\b/);
      await press('Enter');
      await page
        .getByRole('region', { name: 'Event' })
        .getByText(/called/)
        .first()
        .waitFor();
    },
  },
  {
    does: 'sends a message again',
    by: async ({ press, tabTo, page, focused }) => {
      await press('g w');
      await page.locator('.table .body .line').first().waitFor();
      await tabTo(/^watcher:lobby_watch$/);
      await press('Enter');
      await page
        .getByRole('button', { name: /^Send again:/ })
        .first()
        .waitFor();
      await tabTo(/^Send again:/);
      await press('Enter');
      await page.getByText(/message on the way|Nothing was left/).waitFor();
      expect(await focused()).toMatch(/^Send again:/);
    },
  },
  {
    does: 'reads the limits in force',
    by: async ({ press, type, tabTo, page }) => {
      await press('g s');
      await page.locator('.findings').waitFor();
      await tabTo(/^Limits$/);
      await press('Space');
      await page.getByText(/limits in force/).waitFor();
      await press('/');
      await type('request timeout');
      await page.getByRole('cell', { name: '30 s' }).waitFor();
      await press('Escape');
    },
  },
  {
    does: 'reads a row of a resource',
    by: async ({ press, tabTo, page }) => {
      await press('g m');
      await page.getByRole('link', { name: 'tickets' }).waitFor();
      await tabTo(/^tickets/);
      await press('Enter');
      await page.getByRole('table', { name: 'Rows of tickets' }).waitFor();
      await tabTo(/^1$/);
      await press('Enter');
      await page.getByRole('region', { name: 'Row' }).waitFor();
    },
  },
  {
    does: 'signs out, and may type a key at once',
    by: async ({ press, tabTo, page }) => {
      await tabTo(/^Sign out$/, 'Shift+Tab');
      await press('Enter');
      await page.locator('#key:focus').waitFor();
    },
  },
];

// One session of one person: the focus is never lost on the way from one thing to the next.
describe.skipIf(executablePath === '')('the console of operators, by keyboard alone', () => {
  let desk: Desk;
  let browser: Browser;
  let opened: OpenedConsole;
  let fingers: Fingers;
  beforeAll(async () => {
    [desk, browser] = await Promise.all([startDesk(), launchBrowser(executablePath)]);
    opened = await openByLink(browser, desk.link);
  });
  afterAll(async () => {
    await browser?.close();
    await desk?.close();
  });

  it('signs out, and in again, also after a key that nobody knows', async () => {
    verifies('console.keyboard-alone');
    const { page } = opened;
    const button = page.getByRole('button', { name: 'Sign out' });
    while (!(await button.evaluate((one) => one.matches(':focus')))) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.locator('#key:focus').waitFor();
    await page.keyboard.type('not the key of anybody');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    // What was typed is selected.
    await page.keyboard.type(keys.OPERATOR_KEY);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.frame');
    fingers = await fingersOn(page);
  });

  it.each(journeys)('$does', async ({ by }) => {
    verifies('console.keyboard-alone');
    await by(fingers, desk);
    expect([fingers.lost, opened.faults]).toEqual([[], []]);
  });
});
