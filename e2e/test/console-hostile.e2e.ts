import { verifies } from '@waymark/contract/testing';
import { describe, expect, inject } from 'vitest';
import { journeysOf } from './console-journey.ts';
import { turnedTexts } from './turned-texts.ts';

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
  'to: \u202eecila\u202c, EUR \u202e0005\u202c \u2066x\u2069 a\u200bb \u061c\u{e0041}',
] as const;

describe.skipIf(executablePath === '')('the console of operators, among hostile texts', () => {
  const journey = journeysOf(executablePath);

  journey('shows titles, answers and arguments as the text that they are', async ({ page, desk, go }) => {
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
    await go('#/');
    await page.waitForSelector('.events li');
    const places = [
      '#/approvals',
      `#/runs/${String(run)}`,
      `#/runs/${String(told['run_id'])}`,
      '#/runs/%3Cimg%20src%3Dx%20onerror%3D%22globalThis.ran%3D1%22%3E',
      '#/%3Cscript%3EglobalThis.ran=1%3C%2Fscript%3E',
    ];
    for (const place of places) {
      await go(place);
      await page.waitForSelector('h1');
      for (const step of await page.locator('.trace-line').all()) await step.click();
      for (const json of await page.getByRole('button', { name: 'JSON' }).all()) await json.click();
      expect(await page.evaluate(turnedTexts), place).toEqual([]);
    }
    await go(`#/runs/${String(told['run_id'])}`);
    await page.locator('pre', { hasText: corpus[0] }).first().waitFor();
    // What somebody decides on is what is there.
    await page.route(/_svc\/approvals/, async (route) => {
      const response = await route.fetch();
      const { approvals } = (await response.json()) as { readonly approvals: readonly object[] };
      const json = { approvals: approvals.map((row) => ({ ...row, arguments: { note: corpus[8] } })) };
      await route.fulfill({ response, json });
    });
    await go('#/approvals');
    const read = page.locator('.question pre', { hasText: 'to: ' }).first();
    expect(await read.innerText()).toBe(
      'to: \\u202eecila\\u202c, EUR \\u202e0005\\u202c \\u2066x\\u2069 a\\u200bb \\u061c\\u{e0041}',
    );
    expect(await read.locator('.escape').first().innerText()).toBe('\\u202e');
    await page.getByRole('button', { name: 'JSON' }).first().click();
    await page.locator('.question pre.code', { hasText: '"to: \\u202eecila\\u202c' }).waitFor();
    expect(await page.evaluate(turnedTexts)).toEqual([]);
    await go(`#/playground/agent/support`);
    await page.fill('#words', `[[call list_open_tickets {}]] [[say ${corpus[1]} ${corpus[4]}]] ${all}`);
    await page.keyboard.press('Enter');
    await page.locator('.answer', { hasText: corpus[1] }).waitFor();
    await page.locator('summary').first().click();
    expect(await page.evaluate(turnedTexts)).toEqual([]);
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(await page.locator('img, iframe, main script, main link, base, .frame svg').count()).toBe(0);
  });

  journey(
    'takes for text whatever devices, routes, ledgers, logs and rows say of themselves',
    async ({ page, desk, go }) => {
      verifies('console.hostile', 'console.policy');
      const all = corpus.join(' ');
      await desk.post('/devices/thermometer/telemetry', { [corpus[0]]: corpus[1], deep: { [corpus[2]]: 4 } });
      await desk.post('/tickets', { title: corpus[1], body: all, status: 'open', urgent: false });
      await desk.post('/notes/remember', { key: 'hostile', value: all });
      await go('#/security');
      await page.waitForSelector('.findings');
      // Answers of the service as one that is not to be trusted would give them: each text with another one behind it.
      await page.route(
        /_svc\/(?:devices|watchers|routes|tools|openapi|spend|runs|audit|webhooks|security)/,
        async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: poisoned(await response.json()) });
        },
      );
      const places = [
        ...['#/devices', '#/devices/thermometer', '#/devices/lobby', '#/routes', '#/routes?only=control'],
        ...['#/usage', '#/usage?by=caller', '#/audit', '#/webhooks', '#/security', '#/security?part=surface'],
        ...[
          '#/security?part=gates',
          '#/security?part=limits',
          '#/data',
          '#/data/tickets',
          '#/data/notes?q=hostile',
        ],
        ...['devices', 'routes', 'audit', 'webhooks', 'data'].map(
          (one) => `#/${one}/${encodeURIComponent(corpus[1])}`,
        ),
      ];
      let texts = 0;
      for (const place of places) {
        await go(place);
        await page.waitForSelector('main h1, main .empty, main .event-view');
        // Its answer has come: those of `data` are of the application's own routes.
        await page
          .locator('main')
          .getByText('globalThis.ran')
          .first()
          .waitFor({ timeout: 1_500 })
          .catch(() => undefined);
        for (const link of await page
          .locator('main a.whole')
          .all()
          .then((links) => links.slice(0, 1))) {
          await link.click();
          await page
            .locator('main')
            .getByText('globalThis.ran')
            .first()
            .waitFor({ timeout: 1_500 })
            .catch(() => undefined);
        }
        texts += (await page.locator('main').innerText()).split('globalThis.ran').length - 1;
        expect(await page.getByText('This page broke').count(), place).toBe(0);
        expect(await page.evaluate('globalThis.ran'), place).toBeUndefined();
        expect(await page.evaluate(turnedTexts), place).toEqual([]);
        // Pictures are those of cameras, from memory.
        expect(
          await page
            .locator('iframe, main script, main link, base, .frame svg, img:not([src^="blob:"])')
            .count(),
          place,
        ).toBe(0);
        expect(await page.locator('a[href^="javascript:" i]').count(), place).toBe(0);
      }
      expect(texts).toBeGreaterThan(50);
    },
  );
});

/** A value with a text of the corpus behind each of its texts. */
function poisoned(value: unknown): unknown {
  let n = 0;
  const visit = (one: unknown): unknown => {
    if (typeof one === 'string') return `${one}${corpus[n++ % corpus.length]}`;
    if (Array.isArray(one)) return one.map(visit);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, visit(inner)]));
  };
  return visit(value);
}
