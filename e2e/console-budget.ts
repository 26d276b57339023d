// What the operator console weighs, and how soon it can be used: `npm run bench:console -- --rounds=9`. Needs a Chromium
// (CHROMIUM names one). It is a benchmark as those of tools/bench are, and stands here beside the other drivers of browsers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext } from 'playwright-core';
import { machineLine } from '../tools/bench/lib/cores.ts';
import { type Goal, printGoals } from '../tools/bench/lib/goals.ts';
import { keys, openConsole } from './test/console-desk.ts';
import { scrollThrough, startMill } from './test/console-mill.ts';
import { launchBrowser } from './test/device-pages.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });
const rounds = Math.max(5, Number(values.rounds));

/** The pages that are timed: by what is drawn when somebody can begin, which is what the page was opened for. */
const subjects = [
  { name: 'empty', path: '/empty/index.html', ready: 'a' },
  { name: 'overview', path: '/_svc/console#/', ready: 'main .events li' },
  { name: 'approvals', path: '/_svc/console#/approvals', ready: 'main .question .button' },
  { name: 'runs', path: '/_svc/console#/runs', ready: 'main .table .body .line a' },
] as const;
type Name = (typeof subjects)[number]['name'];

const folder = mkdtempSync(join(tmpdir(), 'console-budget-'));
writeFileSync(
  join(folder, 'index.html'),
  '<!doctype html><html lang="en"><title>Empty</title><a href="#">here</a></html>',
);
const mill = await startMill((app) =>
  app
    .staticFiles('/empty', folder, { scopes: [] })
    .post('/payments', { tool: true, toolName: 'pay', approval: 'required', scopes: ['svc:admin'] }, () => 1)
    .behaviour('clerk', { tools: ['pay'], scopes: ['svc:admin'] }, (ctx) => ctx.call('pay')),
);
await fetch(`${mill.url}/behaviours/clerk`, {
  method: 'POST',
  headers: { 'x-api-key': keys.OPERATOR_KEY, 'content-type': 'application/json' },
  body: '{}',
});
const browser = await launchBrowser(process.env['CHROMIUM'] ?? '/usr/bin/chromium');
try {
  console.log(machineLine());
  const goals = [...(await weigh(browser)), ...(await timeAll(browser)), await scroll(browser)];
  console.log();
  printGoals(goals);
} finally {
  await browser.close();
  await mill.close();
  rmSync(folder, { recursive: true });
}

/** What a browser fetches for the first screen, each file as gzip sends it. */
async function weigh(browser: Browser): Promise<readonly Goal[]> {
  const context = await signedIn(browser);
  const page = await context.newPage();
  const urls = new Set<string>();
  page.on('request', (request) => void urls.add(request.url()));
  await page.goto(`${mill.url}/_svc/console`);
  await page.waitForSelector('main .events li');
  const sizeOf = async (ending: string): Promise<number> => {
    let sum = 0;
    for (const url of urls)
      if (new URL(url).pathname.endsWith(ending))
        sum += gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length;
    return sum / 1_000;
  };
  const [scripts, styles] = [await sizeOf('.js'), await sizeOf('.css')];
  await context.close();
  const unit = 'kB';
  return [
    { name: 'console-first-scripts', measured: scripts, op: '<=', target: 60, unit },
    { name: 'console-first-styles', measured: styles, op: '<=', target: 15, unit },
  ];
}

/** Each page in a browser that has nothing of it yet, in turns; whatever else the machine does can only add to a time. */
async function timeAll(browser: Browser): Promise<readonly Goal[]> {
  const best = new Map<Name, number>();
  const work = new Map<Name, number>();
  for (let round = 0; round < rounds; round++)
    for (const { name, path, ready } of subjects) {
      const { tookMs, cpuMs } = await timeOne(browser, path, ready);
      work.set(name, Math.min(work.get(name) ?? Number.POSITIVE_INFINITY, cpuMs));
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, tookMs));
    }
  console.log('             until ready   CPU of its main thread');
  for (const [name, tookMs] of best)
    console.log(
      `${name.padEnd(10)} ${tookMs.toFixed(0).padStart(10)} ms ${(work.get(name) ?? Number.NaN).toFixed(0).padStart(20)} ms`,
    );
  const beyond = (name: Name): number => (best.get(name) ?? Number.NaN) - (best.get('empty') ?? Number.NaN);
  return (['overview', 'approvals'] as const).map((name) => ({
    ...{ name: `console-${name}-beyond-empty-page`, measured: beyond(name), op: '<=' as const },
    ...{ target: 300, unit: 'ms' },
  }));
}

interface Timed {
  /** From the begin of the navigation until it is drawn, by the clock of the page. */
  readonly tookMs: number;
  /** What the main thread of the page has worked: others on the machine do not add to it as they do to a time. */
  readonly cpuMs: number;
}

async function timeOne(browser: Browser, path: string, ready: string): Promise<Timed> {
  const context = await signedIn(browser);
  const page = await context.newPage();
  await page.addInitScript(`globalThis.readyMs = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('it is never ready')), 20_000);
    const look = () => {
      const found = document.querySelector(${JSON.stringify(ready)});
      // In the frame after the one that it is in, it has been drawn, and no task stands before it.
      if (found && found.getClientRects().length > 0)
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(mill.url + path);
  const tookMs: number = await page.evaluate('globalThis.readyMs');
  // By keyboard, too: Tab leads to what can be pressed.
  await page.keyboard.press('Tab');
  if ((await page.evaluate('document.activeElement.tagName')) === 'BODY')
    throw new Error(`${path} has nothing to press`);
  const { metrics } = await devtools.send('Performance.getMetrics');
  const cpuSecs = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  await context.close();
  return { tookMs, cpuMs: cpuSecs * 1_000 };
}

async function scroll(browser: Browser): Promise<Goal> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const { page, context } = await openConsole(browser, mill.url, '#/runs');
    least = Math.min(least, Math.max(0, ...(await scrollThrough(page))));
    await context.close();
  }
  return {
    ...{ name: 'console-ten-thousand-runs-longest-task', measured: least, op: '<=', target: 100 },
    unit: 'ms',
  };
}

/** A browser that knows nothing but a session. */
async function signedIn(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 800 } });
  const answer = await context.request.post(`${mill.url}/_svc/session`, {
    data: { credential: keys.OPERATOR_KEY },
  });
  if (!answer.ok()) throw new Error(`no session: ${answer.status()}`);
  return context;
}
