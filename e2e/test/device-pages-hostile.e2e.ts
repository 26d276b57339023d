import { verifies } from '@waymark/contract/testing';
import { camera } from '@waymark/device-hub';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { isWiderThanItsWindow, launchBrowser, type OpenedPage, openDevicePage } from './device-pages.ts';
import { drawPicture, factsOf, type Sender, sendFrame, sendReading } from './device-pages-film.ts';
import { keys, openYard, type Yard } from './hub-client-yard.ts';
import { turnedTexts } from './turned-texts.ts';

const executablePath = inject('chromium');
const markup = `<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>"'>{{ran}}\u202e\u0000\u200b\u061c\u2028\u{e0041}`;

/** Changes what a stream says on its way to a page: the hub itself would let some of it in from nobody. */
async function changeStream(
  { page }: OpenedPage,
  change: (record: Record<string, unknown>) => readonly object[],
): Promise<void> {
  await page.routeWebSocket(/\/stream/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      if (typeof message !== 'string') socket.send(message);
      else for (const record of change(JSON.parse(message))) socket.send(JSON.stringify(record));
    });
  });
  await page.reload();
}

describe.skipIf(executablePath === '')('the page that shows a device', () => {
  let yard: Yard;
  let browser: Browser;
  let picture: Buffer;
  let sender: Sender;
  let address: string;
  beforeAll(async () => {
    yard = await openYard({ devices: [camera('door', { maxFps: 1_000, description: markup })] });
    sender = { url: yard.url, key: keys.operator };
    address = new URL('/devices/door/view', yard.url).href;
    browser = await launchBrowser(executablePath);
    picture = await drawPicture(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await yard.close();
  });
  const open = () => openDevicePage(browser, address, { key: keys.viewer, width: 360 });
  const close = ({ page }: OpenedPage) => page.context().close();

  it('takes whatever a device and a watcher say for text', async () => {
    verifies('device.view');
    const opened = await open();
    const { page, faults } = opened;
    const insight = (n: number) => ({
      ...{ type: 'insight', watcher: markup, device: 'door', agent: markup, seq: n, status: markup },
      ...{
        output: `${n} ${markup}`,
        error: null,
        run_id: `run-${n % 40}`,
        tokens: 1,
        at_ms: Number.MAX_VALUE,
      },
    });
    await changeStream(opened, (record) =>
      record['type'] === 'hello'
        ? [
            record,
            ...Array.from({ length: 60 }, (_, i) => insight(i)),
            insight(59),
            { type: 'nonsense' },
            [],
            {},
          ]
        : [record],
    );
    await page.getByText(`59 ${markup.slice(0, 30)}`).waitFor();
    const texts = await page.locator('.insight-text').allInnerTexts();
    expect(texts).toHaveLength(32);
    expect(texts[0]).toMatch(/^59 /);
    expect(texts[0]).toContain('\\u202e\\u0000\\u200b\\u061c\\u2028\\u{e0041}');
    for (const reading of [
      {
        [markup]: markup,
        far: 1e308,
        near: -1e308,
        none: 'NaN',
        list: Array.from({ length: 5_000 }, () => markup),
      },
      {
        [markup]: 7,
        far: -1e308,
        deep: { a: { b: { c: { d: { e: markup } } } } },
        ['x'.repeat(5_000)]: 'y'.repeat(20_000),
      },
      Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`member-${i}`, i])),
      { celsius: 1 },
      markup,
      { celsius: 2 },
    ]) {
      await sendReading(sender, 'door', reading);
      await page.waitForTimeout(250);
      expect(await page.locator('.reading').count()).toBeLessThanOrEqual(40);
      expect(await page.locator('.chart').count()).toBeLessThanOrEqual(12);
      expect(await isWiderThanItsWindow(page)).toBe(false);
      expect(await page.evaluate(turnedTexts)).toEqual([]);
    }
    await expect.poll(() => page.locator('.readings').innerText()).toBe('celsius\n2');
    await sendFrame(sender, picture);
    await expect.poll(async () => (await factsOf(page))['Shown']).toBe('1');
    expect(await page.locator('.description').innerText()).toContain('<img src=x onerror=');
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(faults.filter((fault) => fault !== 'the key stands in an address')).toEqual([]);
    await close(opened);
  });

  it('asks for each picture of a camera that is pulled, one at a time, and keeps readings live', async () => {
    const opened = await open();
    const { page } = opened;
    const asked: {
      readonly atMs: number;
      readonly headers: Record<string, string>;
      readonly status: number;
    }[] = [];
    page.on('response', (response) => {
      const request = response.request();
      if (request.url().endsWith('/latest'))
        asked.push({
          atMs: request.timing().startTime,
          headers: request.headers(),
          status: response.status(),
        });
    });
    await changeStream(opened, (record) =>
      record['type'] === 'hello'
        ? [{ ...record, device: { ...(record['device'] as object), pulled: true, max_fps: 5 } }]
        : [record],
    );
    const seq = await sendFrame(sender, picture);
    await page.getByRole('img', { name: `Picture ${seq} of door` }).waitFor();
    await expect.poll(() => asked.filter(({ status }) => status === 304).length).toBeGreaterThan(2);
    expect(asked.every(({ headers }) => headers['x-api-key'] === keys.viewer)).toBe(true);
    const gaps = asked.slice(1).map(({ atMs }, i) => atMs - (asked[i]?.atMs ?? 0));
    expect(Math.min(...gaps.slice(1))).toBeGreaterThan(500);

    // What the hub says of a camera that does not answer is told in its words, and it is asked less and less.
    const detail = 'the camera has not answered for 5 s';
    let refused = 0;
    await page.route('**/latest', (route) => {
      refused++;
      return route.fulfill({ status: 504, json: { detail }, headers: { 'retry-after': '2' } });
    });
    await page.getByText(`The server says: ${detail}`).waitFor();
    await page.getByText(/^Last seen \d/).waitFor();
    expect(await page.locator('.badge').getAttribute('data-state')).toBe('stale');
    expect(refused).toBeLessThanOrEqual(3);
    await page.unroute('**/latest');
    await sendReading(sender, 'door', { celsius: 3 });
    await page.getByText('celsius').waitFor();
    await sendFrame(sender, picture);
    await page.getByRole('img', { name: `Picture ${seq + 1} of door` }).waitFor();
    await expect.poll(() => page.locator('.trouble').isVisible()).toBe(false);

    const before = asked.length;
    await page.getByLabel('Pictures a second').selectOption('5');
    await page.waitForTimeout(2_000);
    expect(asked.length - before).toBeGreaterThan(4);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.waitForTimeout(500);
    const paused = asked.length;
    await page.waitForTimeout(1_500);
    expect(asked.length).toBe(paused);
    await close(opened);
  });

  it('says so where no more viewers are let in', async () => {
    const opened = await open();
    const { page } = opened;
    await page.routeWebSocket(/\/stream/, (socket) => void socket.close({ code: 1013 }));
    await page.reload();
    await page.getByText(/^Too many viewers/).waitFor();
    await close(opened);
  });
});
