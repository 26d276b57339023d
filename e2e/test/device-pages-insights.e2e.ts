import type { Insight } from '@waymark/contract/hub';
import { camera } from '@waymark/device-hub';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchBrowser, openDevicePage } from './device-pages.ts';
import { keys, openYard, type Yard } from './hub-client-yard.ts';

const executablePath = inject('chromium');

function insight(run_id: string, output: string, fields: Partial<Insight> = {}): Insight {
  return {
    ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: 1, status: 'completed' },
    ...{ output, error: null, run_id, tokens: 12, cost_micros: 40, at_ms: 1_000 },
    ...fields,
  };
}

describe.skipIf(executablePath === '')('the insights on the page of a device', () => {
  let yard: Yard;
  let browser: Browser;
  beforeAll(async () => {
    yard = await openYard({ devices: [camera('door')] });
    browser = await launchBrowser(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
    await yard.close();
  });

  it('are newest first, live and after a reload: a run that goes on moves up', async () => {
    const { devices, url } = yard;
    const waiting = insight('r1', '', { status: 'awaiting_approval' });
    await devices.publish(waiting);
    await devices.publish(insight('r2', 'The second.'));
    const address = new URL('/devices/door/view', url).href;
    const { page } = await openDevicePage(browser, address, { key: keys.viewer });
    const texts = () => page.locator('.insight').allInnerTexts();
    await expect.poll(async () => (await texts()).length).toBe(2);
    expect((await texts())[0]).toContain('The second.');
    await devices.publish(insight('', 'Of no run.', { at_ms: 1 }));
    await devices.publish(insight('', 'Of no run either.', { at_ms: 2 }));
    await devices.publish(insight('r1', 'The first, at last.'));
    const order = ['The first, at last.', 'Of no run either.', 'Of no run.', 'The second.'];
    const inOrder = async () => (await page.locator('.insight-text').allInnerTexts()).filter(Boolean);
    await expect.poll(inOrder).toEqual(order);
    expect(await texts()).toHaveLength(4);
    // What they cost, and whatever else they may have some day, is not for this page.
    expect((await texts()).join()).not.toMatch(/cost|40/);
    await page.reload();
    await expect.poll(inOrder).toEqual(order);
    await page.context().close();
  });
});
