import { type Application, createApplication } from '@waymark/server';
import type { Page } from 'playwright-core';
import { keys } from './console-desk.ts';

/** An application that has run ten thousand times. */
export interface Mill {
  readonly url: string;
  close(): Promise<void>;
}

const runs = 10_000;

/** Starts it. @param declare what else it has */
export async function startMill(declare: (app: Application) => void = () => {}): Promise<Mill> {
  const app = createApplication('mill', {
    port: 0,
    database: ':memory:',
    env: { ...keys, LOG_LEVEL: 'error' },
  });
  app.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin'] });
  app.behaviour('grind', {}, () => 'done');
  declare(app);
  const running = await app.listen();
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
  return { url: running.url, close: () => running.close() };
}

/** Scrolls through all runs that a page lists, and up again in leaps. @returns how long its long tasks took, in milliseconds */
export async function scrollThrough(page: Page): Promise<readonly number[]> {
  await page.waitForSelector('.table .body .line');
  await page.evaluate(`
    globalThis.tasks = [];
    new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map((one) => one.duration)))
      .observe({ entryTypes: ['longtask'] });
  `);
  const whole = page.locator('header', { hasText: /10,00\d runs(?! so far)/ });
  for (const until = performance.now() + 60_000; (await whole.count()) === 0; ) {
    if (performance.now() > until) throw new Error('the list has no end');
    await page.evaluate(`(() => {
      const body = document.querySelector('.table .body');
      body.scrollTop = body.scrollHeight;
      return new Promise((resolve) => requestAnimationFrame(resolve));
    })()`);
  }
  for (let i = 9; i >= 0; i--)
    await page.evaluate(`(() => {
      const body = document.querySelector('.table .body');
      body.scrollTop = body.scrollHeight * ${i / 10};
      return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    })()`);
  return page.evaluate('globalThis.tasks');
}
