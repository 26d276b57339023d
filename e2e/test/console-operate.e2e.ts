import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, inject } from 'vitest';
import { movingPicture } from '../../apps/server/example/moving-picture.ts';
import { keys, signIn } from './console-desk.ts';
import { journeysOf } from './console-journey.ts';
import { livedBefore, sighting } from './console-past.ts';

const executablePath = inject('chromium');

describe.skipIf(executablePath === '')('the console of those who look after a service', () => {
  const journey = journeysOf(executablePath);

  let dear = '';
  journey(
    'finds the most expensive run of the day, and saves the ledger',
    async ({ page, go }) => {
      verifies('console.usage');
      await go('#/usage');
      const dearest = page.getByRole('region', { name: 'Most expensive runs' }).getByRole('listitem').first();
      await expect.poll(() => dearest.getByRole('link').getAttribute('href')).toBe(`#/runs/${dear}`);
      expect(await dearest.innerText()).toMatch(/support\s*\$0\.\d+/);
      await page.getByRole('button', { name: 'By caller' }).click();
      const table = page.getByRole('table', { name: 'Spent by caller' });
      // The one that spent most is first.
      await expect.poll(() => table.getByRole('row').nth(1).innerText()).toMatch(/^operator/);
      await table.getByText('reader').waitFor();
      await page
        .getByRole('figure', { name: /by caller over time/ })
        .locator('canvas')
        .waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as CSV' }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toBe('spend.csv');
      expect(readFileSync(await download.path(), 'utf8')).toMatch(
        /^time,caller,model,[\s\S]*\boperator,simulator\/claude-opus-5,/,
      );
      await dearest.getByRole('link').click();
      await page.getByRole('button', { name: /list_open_tickets/ }).waitFor();
    },
    livedBefore(async ({ post }) => {
      await post('/agents/support', { input: '[[say Short.]]' });
      const input = `[[call list_open_tickets {}]] [[say ${'It is long. '.repeat(200)}]]`;
      dear = String((await post('/agents/support', { input }))['run_id']);
      await post('/agents/support', { input: '[[say Short.]]' }, keys.READER_KEY);
    }),
  );

  journey(
    'filters the log, follows it, and has an address for each event',
    async ({ page, desk, go, colleague }) => {
      verifies('console.audit');
      const invoices = '/customers/1/invoices';
      await desk.get(invoices);
      await go('#/audit?kind=tool_called&route=list_invoices');
      await page.getByText('as it happens').waitFor();
      const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
      const count = async () => Math.max(0, (await rows.count()) - 1);
      await expect.poll(count).toBeGreaterThan(0);
      const before = await count();
      expect(await rows.allInnerTexts().then((all) => all.slice(1))).toEqual(
        Array.from({ length: before }, () => expect.stringContaining('list_invoices')),
      );
      await desk.get(invoices);
      await expect.poll(count).toBe(before + 1);
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page
        .getByRole('region', { name: 'Event' })
        .getByText('operator called list_invoices through http')
        .waitFor();
      const address = page.url();
      expect(address).toMatch(/#\/audit\/[0-9A-Z]{26}\?kind=tool_called&route=list_invoices$/);
      await page.getByRole('combobox', { name: 'Kind' }).selectOption('auth_refused');
      await page.getByText('No event is like that').waitFor();
      // Somebody who was sent the address, with the log long gone on.
      const { page: other } = await colleague();
      await other.goto(address.replace('list_invoices', 'elsewhere'));
      const event = other.getByRole('region', { name: 'Event' });
      await event.getByText('operator called list_invoices through http').waitFor();
    },
  );

  journey(
    'sends a message again that did not arrive',
    async ({ page, desk, go }) => {
      verifies('console.webhooks');
      await go('#/webhooks');
      await page.getByRole('link', { name: 'watcher:lobby_watch' }).click();
      const failed = page.getByRole('row').filter({ hasText: 'failed' });
      await failed.getByText('it answered 410').waitFor();
      await failed.getByRole('button', { name: /^Send again: / }).click();
      await page.getByText('1 message on the way.').waitFor();
      await failed.waitFor({ state: 'detached' });
      // Whoever hears it wrote it down.
      await expect
        .poll(async () => JSON.stringify(await desk.get('/sightings?limit=50')))
        .toContain(sighting);
    },
    livedBefore(async ({ send, get }) => {
      await send(movingPicture(1_000));
      await expect
        .poll(async () => (await get('/_svc/webhooks/watcher:lobby_watch'))['messages'])
        .toEqual([expect.objectContaining({ state: 'failed' })]);
    }),
  );

  journey(
    'shows a route as a line that a shell runs, an MCP call and a schema',
    async ({ page, desk, go }) => {
      verifies('console.routes');
      await go('#/routes');
      await page.getByRole('searchbox').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('tickets_by_id_summary');
      await page.keyboard.press('Escape');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'GET /tickets/{id}/summary' }).waitFor();
      const surface = (name: string) =>
        page.getByRole('region', { name, exact: true }).locator('pre').innerText();
      const curl = await surface('curl');
      expect(curl).not.toContain(keys.OPERATOR_KEY);
      const { stdout } = await promisify(execFile)('sh', ['-c', curl.replace('curl', 'curl -s')], {
        env: { PATH: process.env['PATH'], KEY: keys.READER_KEY },
      });
      expect(JSON.parse(stdout)).toEqual({ id: 1, summary: 'URGENT #1 Printer on fire (open)' });
      const message = JSON.parse(await surface('MCP call')) as object;
      expect(JSON.stringify(await desk.post('/_svc/mcp', message))).toContain('Printer on fire');
      expect(JSON.parse(await surface('Schema'))).toMatchObject({
        input: { properties: { id: { type: 'integer' } } },
      });
      await page.getByText('tickets:read', { exact: true }).waitFor();
    },
  );

  journey('shows the docs page inside, at the route that one comes from', async ({ page, go }) => {
    verifies('console.reference');
    await go('#/routes/GET%20%2Ftickets%2F%7Bid%7D%2Fsummary');
    await page.getByRole('link', { name: 'See it in the reference' }).click();
    await page.waitForURL(/#\/reference\/\w+$/);
    const inside = page.frameLocator('iframe[title="API reference"]');
    // It knows who is signed in here.
    await inside.getByRole('heading', { name: 'Summarise a ticket.' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'GET /tickets/{id}/summary' }).waitFor();
  });

  journey(
    'reads what the application keeps, and changes nothing',
    async ({ page, desk, go }) => {
      verifies('console.data');
      await desk.post('/notes/remember', { key: 'bridge', value: 'Twelve tons at most.' });
      await go('#/data/tickets');
      const methods: string[] = [];
      page.on('request', (request) => void methods.push(request.method()));
      const rows = page.getByRole('table', { name: 'Rows of tickets' });
      await page.getByText('100 rows so far').waitFor();
      await rows.locator('.body').evaluate((body) => body.scrollTo(0, 1e6));
      await page.getByText(/^133 rows$/).waitFor();
      await page.getByRole('combobox', { name: 'Field' }).selectOption('title');
      await page.getByRole('textbox', { name: 'is exactly' }).fill('Salt');
      await page.keyboard.press('Enter');
      await page.getByText(/^1 row$/).waitFor();
      await rows.getByRole('link', { name: '80' }).click();
      await page.getByRole('region', { name: 'Row' }).getByText('Salt').waitFor();
      await page.getByRole('link', { name: 'notes' }).click();
      await page.getByRole('searchbox', { name: 'Words of what is kept' }).fill('tons');
      await page.keyboard.press('Enter');
      await page.getByText('Twelve tons at most.').waitFor();
      expect(methods.filter((one) => one !== 'GET')).toEqual([]);
    },
    livedBefore(async ({ database }) => {
      // Behind the three that are there at first.
      const titles = Array.from({ length: 130 }, (_, i) => (i === 76 ? 'Salt' : 'Sand'));
      await database.write(
        titles.map((title) => ({
          sql: "insert into tickets (title, body, status, urgent) values (?, '', 'open', 0)",
          args: [title],
        })),
      );
    }),
  );

  journey('shows findings with their fixes, and the limits in force', async ({ page, desk, go }) => {
    verifies('console.security');
    await go('#/security');
    const report = (await desk.get('/_svc/security')) as {
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
  });

  journey('tells a key that only reads what it lacks, on every page', async ({ page, go }) => {
    verifies('console.reader');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, keys.READER_KEY);
    for (const place of ['devices', 'routes', 'usage', 'audit', 'webhooks', 'security', 'data']) {
      await go(`#/${place}`);
      await page.getByText(/does not hold the scope svc:admin/).waitFor();
    }
  });
});
