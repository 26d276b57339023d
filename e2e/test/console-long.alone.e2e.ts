import { verifies } from '@waymark/contract/testing';
import { type Application, createApplication, type RunningApplication } from '@waymark/server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { keys, openConsole } from './console-desk.ts';
import { launchBrowser } from './device-pages.ts';

const executablePath = inject('chromium');
const runs = 10_000;

/** Promised are 100 ms of one task; a busy machine has three times as long. */
const longestTaskMs = 300;

describe.skipIf(executablePath === '')('the console of operators, with ten thousand runs', () => {
  let app: Application;
  let running: RunningApplication;
  let browser: Browser;
  beforeAll(async () => {
    app = createApplication('mill', { port: 0, database: ':memory:', env: { ...keys, LOG_LEVEL: 'error' } });
    app.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin'] });
    app.behaviour('grind', {}, () => 'done');
    running = await app.listen();
    await fetch(`${running.url}/behaviours/grind`, {
      method: 'POST',
      headers: { 'x-api-key': keys.OPERATOR_KEY, 'content-type': 'application/json' },
      body: '{}',
    });
    // As that one, each of them: older, with an id of its own.
    const same =
      'status, epoch, kind, name, depth, principal_root, created_ms, ended_ms, route, via, principal, spec, input, output';
    await app.database.write([
      {
        sql: `insert into svc__run (id, root_id, ${same})
          with recursive counted(i) as (select 1 union all select i + 1 from counted where i < ${runs - 1})
          select printf('01AAAAAAAAAAAAAAAA%08d', i), printf('01AAAAAAAAAAAAAAAA%08d', i), ${same}
          from svc__run, counted`,
      },
    ]);
    browser = await launchBrowser(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
    await running?.close();
  });

  it('lists them all to who scrolls, and never stands still', async () => {
    verifies('console.long');
    const { page, context, faults } = await openConsole(browser, running.url, '#/runs');
    await page.waitForSelector('.table .body .line');
    await page.evaluate(`
      globalThis.tasks = [];
      new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map((one) => one.duration)))
        .observe({ entryTypes: ['longtask'] });
    `);
    await expect
      .poll(async () => {
        await page.evaluate(`(() => {
          const body = document.querySelector('.table .body');
          body.scrollTop = body.scrollHeight;
        })()`);
        return page.locator('header', { hasText: '10,000 runs' }).count();
      })
      .toBe(1);
    // Up again, in leaps.
    for (let i = 9; i >= 0; i--)
      await page.evaluate(`(() => {
        const body = document.querySelector('.table .body');
        body.scrollTop = body.scrollHeight * ${i / 10};
        return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      })()`);
    expect(await page.locator('.table .body .line').count()).toBeLessThan(100);
    const tasks: readonly number[] = await page.evaluate('globalThis.tasks');
    expect(Math.max(0, ...tasks)).toBeLessThan(longestTaskMs);
    expect(faults).toEqual([]);
    await context.close();
  });
});
