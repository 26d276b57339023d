import type { CDPSession } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { launchBrowser, openDevicePage } from '../test/device-pages.ts';
import { drawPicture, factsOf, film, type Noted, noteShown, sendReading } from '../test/device-pages-film.ts';
import { keys, openYard } from '../test/hub-client-yard.ts';

const minutes = Number(process.env['PAGES_MINUTES'] ?? 10);
const fps = 30;

/** What a tab holds when all that can go is gone. */
async function heapOf(session: CDPSession): Promise<{ readonly megabytes: number; readonly nodes: number }> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  return { megabytes: usedSize / 1e6, nodes };
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

describe.skipIf(inject('chromium') === '')('the page that shows a device', () => {
  it(`neither grows nor drifts in ${minutes} minutes`, async () => {
    const yard = await openYard();
    const browser = await launchBrowser(inject('chromium'));
    const sender = { url: yard.url, key: keys.operator };
    const picture = await drawPicture(browser);
    const address = new URL('/devices/door/view', yard.url).href;
    const { page, faults } = await openDevicePage(browser, address, { key: keys.viewer });
    await page.locator('.picture').waitFor();
    const session = await page.context().newCDPSession(page);
    const noted = await noteShown(page);
    const rows: { age: number; told: number; megabytes: number; nodes: number }[] = [];
    let published = 0;
    for (let minute = 1; minute <= minutes; minute++) {
      await page.evaluate('noted.length = 0');
      const told: number[] = [];
      const asking = setInterval(() => {
        void factsOf(page).then(
          ({ Age = '' }) => told.push(Number.parseFloat(Age) * 1000),
          () => undefined,
        );
        const n = told.length;
        void sendReading(sender, 'door', { n, wave: Math.sin(n / 9), note: `reading ${n}` });
      }, 500);
      const sent = await film(sender, picture, { fps, frames: 60 * fps });
      clearInterval(asking);
      published += sent.size;
      const ages = (await noted()).map(({ seq, atMs }: Noted) => atMs - (sent.get(seq) ?? atMs));
      const { megabytes, nodes } = await heapOf(session);
      rows.push({ age: medianOf(ages), told: medianOf(told), megabytes, nodes });
      const facts = await factsOf(page);
      console.log(
        `minute ${minute}: ${ages.length} shown, ${medianOf(ages)} ms old (${Math.max(...ages)} at most), said ${medianOf(told)} ms,`,
        `${megabytes.toFixed(2)} MB, ${nodes} nodes, skipped ${facts['Skipped']} in all`,
      );
    }
    await expect
      .poll(async () => {
        const { Shown = '', Skipped = '' } = await factsOf(page);
        return Number(Shown) + Number(Skipped);
      })
      .toBe(published);
    // The first minute fills what is bounded.
    const [first, last] = [rows[Math.min(1, rows.length - 1)], rows.at(-1)];
    if (!first || !last) throw new Error('PAGES_MINUTES is 1 or more');
    expect(last.megabytes - first.megabytes).toBeLessThan(3);
    expect(last.nodes).toBeLessThan(first.nodes + 200);
    expect(last.age).toBeLessThan(750);
    expect(last.told).toBeLessThan(750);
    expect(faults.filter((fault) => fault !== 'the key stands in an address')).toEqual([]);
    await browser.close();
    await yard.close();
  });
});
