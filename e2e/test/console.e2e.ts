import { verifies } from '@waymark/contract/testing';
import { describe, expect, inject } from 'vitest';
import { movingPicture } from '../../apps/server/example/moving-picture.ts';
import { whereTheBallIs } from '../../apps/server/example/where-the-ball-is.ts';
import { type Desk, keys, signIn } from './console-desk.ts';
import { journeysOf } from './console-journey.ts';

const executablePath = inject('wholeChromium');

/** Asks for a refund, which waits for somebody to decide. */
async function askRefund(desk: Desk, euros: number): Promise<string> {
  const { run_id: id } = await desk.post('/flows/refund', { customer: 1, euros });
  return String(id);
}

async function statusOf(desk: Desk, id: string): Promise<unknown> {
  return (await desk.get(`/_svc/runs/${id}`))['status'];
}

describe.skipIf(executablePath === '')('the console of operators', () => {
  const journey = journeysOf(executablePath);

  journey('takes a key, and keeps it in no address and no storage', async ({ page }) => {
    verifies('console.key', 'console.public');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.fill('#key', 'not the key of anybody');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await signIn(page, keys.OPERATOR_KEY);
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.cookie])',
    );
    expect(stored).not.toContain(keys.OPERATOR_KEY);
  });

  journey(
    'names a key to sign in with where the service does, and none where it does not',
    async ({ page }) => {
      verifies('console.development-key');
      const hint = page.locator('#key-hint');
      await page.getByRole('button', { name: 'Sign out' }).click();
      expect(await hint.innerText()).toBe(
        'Of a caller with svc:admin. It is kept in no address and no storage of this browser.',
      );
      await signIn(page, keys.OPERATOR_KEY);
      // As the page of a service in development has it.
      await page.evaluate(`document.head.append(Object.assign(document.createElement('meta'), {
      name: 'development-key', content: 'BOSS_KEY .waymark/dev.env' }))`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      expect(await hint.innerText()).toContain(
        'During development it is BOSS_KEY in .waymark/dev.env. It is kept',
      );
      await signIn(page, keys.OPERATOR_KEY);
    },
  );

  journey(
    'is opened signed in by a link, once, which leaves the address at once',
    async ({ page, desk, open }) => {
      verifies('console.link');
      expect(page.url()).toBe(`${desk.url}/_svc/console#`);
      const again = await open(desk.link);
      await again.page.getByText('has been used, or is too old').waitFor();
    },
  );

  journey(
    'decides by keyboard, with a note, and counts what waits in its title',
    async ({ page, desk, go }) => {
      verifies('console.keyboard', 'console.armed');
      const [first, second] = [await askRefund(desk, 11), await askRefund(desk, 12)];
      await go('#/approvals');
      await expect.poll(() => page.title()).toMatch(/^\(2\) Approvals · support-desk$/);
      const question = page.getByRole('region', { name: 'refund asks for refund_customer' });
      await expect.poll(() => question.innerText()).toMatch(/operator[\s\S]*refund[\s\S]*euros\s*11/);
      // It has just come up.
      await page.keyboard.press('j');
      await page.keyboard.press('a');
      await expect.poll(() => question.innerText()).toMatch(/euros\s*12/);
      expect([await statusOf(desk, first), await statusOf(desk, second)]).toEqual([
        'awaiting_approval',
        'awaiting_approval',
      ]);
      const decline = page.getByRole('button', { name: 'Decline r', exact: true });
      await page.keyboard.press('k');
      await expect.poll(() => question.innerText()).toMatch(/euros\s*11/);
      await page.keyboard.press('n');
      await page.keyboard.type('billed twice');
      await page.keyboard.press('Enter');
      await expect.poll(() => decline.isEnabled()).toBe(true);
      await page.keyboard.press('a');
      await expect.poll(() => statusOf(desk, first)).toBe('completed');
      await expect.poll(() => question.innerText()).toMatch(/euros\s*12/);
      await expect.poll(() => decline.isEnabled()).toBe(true);
      await page.keyboard.press('r');
      await expect.poll(() => statusOf(desk, second)).toBe('failed');
      await page.getByText('Nothing waits for you').waitFor();
      await expect.poll(() => page.title()).toBe('Approvals · support-desk');
      await page.getByRole('button', { name: 'Decided' }).click();
      // The newest first.
      await expect.poll(() => question.innerText()).toMatch(/euros\s*12[\s\S]*declined\s*by operator/);
      await page.keyboard.press('j');
      await expect.poll(() => question.innerText()).toMatch(/approved\s*by operator[\s\S]*billed twice/);
    },
  );

  journey('approves and declines what an agent asks for through its flow', async ({ page, desk, go }) => {
    verifies('console.nested');
    const ask = async (euros: number): Promise<string> => {
      const input = `[[call refund {"customer":1,"euros":${euros}}]] [[say That is all.]]`;
      return String((await desk.post('/agents/support', { input }))['run_id']);
    };
    const [first, second] = [await ask(31), await ask(32)];
    await go('#/approvals');
    const question = page.getByRole('region', { name: 'refund asks for refund_customer' });
    const answer = async (euros: number, name: string): Promise<void> => {
      const chain = new RegExp(`operator\\s+support\\s+refund\\s[\\s\\S]*euros\\s*${euros}`);
      await expect.poll(() => question.innerText()).toMatch(chain);
      const button = page.getByRole('button', { name, exact: true });
      await expect.poll(() => button.isEnabled()).toBe(true);
      await button.click();
    };
    await answer(31, 'Approve a');
    await answer(32, 'Decline r');
    await page.getByText('Nothing waits for you').waitFor();
    for (const id of [first, second]) await expect.poll(() => statusOf(desk, id)).toBe('completed');
    await go(`#/runs/${first}`);
    await page.getByRole('button', { name: /^approved: refund_customer/ }).waitFor();
    await go(`#/runs/${second}`);
    await page.getByRole('button', { name: /^not approved: refund_customer/ }).waitFor();
    // The agent hears it of its flow.
    await page.getByRole('button', { name: /^refused: refund\b/ }).waitFor();
  });

  journey('tells the later of two who was first', async ({ page, desk, go, colleague }) => {
    verifies('console.race');
    await askRefund(desk, 13);
    const { page: other } = await colleague();
    await go('#/approvals');
    await other.goto(`${desk.url}/_svc/console#/approvals`);
    const approve = (one: typeof page) => one.getByRole('button', { name: 'Approve a', exact: true });
    await expect.poll(() => approve(page).isEnabled()).toBe(true);
    await expect.poll(() => approve(other).isEnabled()).toBe(true);
    // What the other one sees is from before.
    await other.route(/approvals\?/, (route) => route.abort());
    await approve(page).click();
    await page.getByText(/^Approved refund_customer/).waitFor();
    await approve(other).click();
    await other.getByText(/^operator was faster and approved refund_customer/).waitFor();
  });

  journey('shows a run with its steps, and cancels it', async ({ page, desk, go }) => {
    verifies('console.run');
    const id = await askRefund(desk, 14);
    await go('#/runs');
    await page.locator(`a[href="#/runs/${id}"]`).click();
    await page.getByRole('button', { name: /list_invoices/ }).click();
    await page.getByRole('region', { name: 'Step list_invoices' }).getByText('2026-03').first().waitFor();
    await page.getByRole('button', { name: /waits for approval: refund_customer/ }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await expect.poll(() => statusOf(desk, id)).toBe('cancelled');
    await page.locator('header .badge', { hasText: 'cancelled' }).waitFor();
  });

  journey('tries an agent, with its tools, its text and its questions in place', async ({ page, go }) => {
    verifies('console.playground');
    await go('#/playground/agent/biller');
    await page.fill(
      '#words',
      '[[call list_invoices {"id":1}]] [[call refund_customer {"id":1,"euros":15}]] [[say All is paid back.]]',
    );
    await page.keyboard.press('Enter');
    await page.locator('summary', { hasText: 'list_invoices' }).click();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.locator('.answer', { hasText: 'All is paid back.' }).waitFor();
    await page.locator('summary', { hasText: 'refund_customer' }).waitFor();
  });

  journey('shows an agent pictures, pasted and chosen, which its model sees', async ({ page, go }) => {
    verifies('console.pictures');
    await go('#/playground/agent/lookout');
    // A quarter and a half of the way of the ball, which the stand-in for a model finds in what it is sent.
    const [pasted, chosen] = [movingPicture(1_000), movingPicture(4_000)].map((one) => Buffer.from(one));
    const words = page.getByRole('textbox', { name: 'Words to lookout' });
    const answers = page.locator('.answer');
    const ask = async (n: number): Promise<void> => {
      await page.getByText('1 picture will go along').waitFor();
      await words.fill('What moved?');
      await words.press('Enter');
      await expect.poll(() => answers.count()).toBe(n);
      // An answer is seen from its first word on; until its last nothing else can be asked.
      await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
      await page
        .locator('.turn .pasted')
        .nth(n - 1)
        .waitFor();
    };
    await words.focus();
    await page.evaluate(pasting(pasted ?? Buffer.alloc(0)));
    await ask(1);
    expect(await answers.nth(0).innerText()).toContain(whereTheBallIs(pasted ?? Buffer.alloc(0)));
    const opened = page.waitForEvent('filechooser');
    await page.locator('label', { hasText: 'Picture…' }).click();
    const buffer = chosen ?? Buffer.alloc(0);
    await (await opened).setFiles({ name: 'ball.png', mimeType: 'image/png', buffer });
    await ask(2);
    expect(await answers.nth(1).innerText()).toContain(`is ${whereTheBallIs(buffer)} now`);
    const [first, second] = [pasted, chosen].map((one) => whereTheBallIs(one ?? Buffer.alloc(0)));
    expect(first).not.toBe(second);
  });

  journey(
    'calls a tool from its form, and says what is wrong with what was filled in',
    async ({ page, go }) => {
      verifies('console.call');
      await go('#/routes?q=refund_customer');
      await page.getByRole('link', { name: '/customers/{id}/refunds' }).click();
      const form = page.getByRole('region', { name: 'Call it' });
      await form.getByLabel('id').fill('1');
      await form.getByLabel('euros').fill('5000');
      await form.getByRole('button', { name: 'Call' }).click();
      await form.getByText('It was refused').waitFor();
      await form.getByText(/euros/).last().waitFor();
      await form.getByLabel('euros').fill('17');
      await form.getByRole('button', { name: 'Call' }).click();
      await form.getByText('refunded').waitFor();
    },
  );

  journey('tells whoever runs a flow from its form that a human declined', async ({ page, go }) => {
    verifies('console.call-refused');
    await go('#/playground/flow/refund');
    await page.fill('#field-customer', '1');
    await page.fill('#field-euros', '18');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    await page.locator('.failure', { hasText: /declined|refused|approval/ }).waitFor();
  });

  journey('fills in a form for a flow, and says what is wrong with it', async ({ page, go }) => {
    await go('#/playground/flow/refund');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('This is needed.').first().waitFor();
    await page.fill('#field-customer', '1');
    await page.fill('#field-euros', '9000');
    await page.getByRole('button', { name: 'Run' }).click();
    // What only the service knows.
    await page.getByText(/euros/).last().waitFor();
    await page.locator('.failure').waitFor();
  });

  journey('shows nothing any more to who has signed out', async ({ page, go }) => {
    verifies('console.sign-out');
    await go('#/runs');
    await page.reload();
    await page.getByText('signed in as operator').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForSelector('#key');
    expect(await page.locator('.frame').count()).toBe(0);
    await page.reload();
    await page.waitForSelector('#key');
  });

  journey('leads from a session that ended back to where one was', async ({ page, context, desk, go }) => {
    verifies('console.expired');
    const id = await askRefund(desk, 16);
    await go(`#/runs/${id}`);
    const other = await context.newPage();
    await other.goto(`${desk.url}/_svc/console`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await signIn(page, keys.OPERATOR_KEY);
    await page.getByRole('button', { name: /list_invoices/ }).waitFor();
  });

  journey('tells a key without `svc:admin` what it lacks', async ({ page }) => {
    verifies('console.reader');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, keys.READER_KEY);
    await page.getByText(/does not hold the scope svc:admin/).waitFor();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText(/does not hold the scope svc:admin/).waitFor();
  });
});

/** Pastes a picture where the focus is, as a browser tells of one that was copied elsewhere. */
function pasting(png: Buffer): string {
  return `(() => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (character) => character.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], 'ball.png', { type: 'image/png' }));
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  })()`;
}
