/** A browser's own EventSource, which reconnects by itself, on the events of a run. */
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@waymark/contract/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { callers, thinking } from './agents-application.ts';
import { launchBrowser } from './device-pages.ts';

const executablePath = inject('chromium');

/** What a page heard until its EventSource was closed, and not by the page. */
interface Heard {
  readonly ids: readonly string[];
  /** `result`, or `error` with data. */
  readonly ends: readonly string[];
}

/** A request that the service got, and what it answered. */
interface Seen {
  readonly after: string | undefined;
  status: number | undefined;
}

/**
 * Stands between pages and a service: has the credential that no EventSource can send, and cuts connections. Below
 * `/<name>` the first one is cut after so many bytes as `cuts` says of that name, the second as its second says.
 */
async function cutter(url: string, cuts: Readonly<Record<string, readonly number[]>>) {
  const seen: Record<string, Seen[]> = {};
  const open = new Set<ServerResponse>();
  const server = createServer((req, res) => {
    const [, name = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(req.url ?? '') ?? [];
    if (path === '')
      return void res.setHeader('content-type', 'text/html').end('<!doctype html><title>x</title>');
    const last = req.headers['last-event-id'];
    const one: Seen = { after: last === undefined ? undefined : String(last), status: undefined };
    seen[name] ??= [];
    const all = seen[name];
    let left = cuts[name]?.[all.length] ?? Number.POSITIVE_INFINITY;
    all.push(one);
    const headers = { ...req.headers, 'x-api-key': callers.ANN_KEY };
    const asked = get(url + path, { headers }, (answer) => {
      one.status = answer.statusCode;
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      open.add(res);
      // A page would wait for seconds.
      if (answer.statusCode === 200) res.write('retry: 5\n\n');
      answer.on('data', (bytes: Buffer) => {
        res.write(bytes.subarray(0, left));
        left -= bytes.length;
        if (left <= 0) res.socket?.destroySoon();
      });
      answer.on('end', () => res.end());
    });
    res.on('close', () => {
      open.delete(res);
      asked.destroy();
    });
    asked.on('error', () => res.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** Cuts all that is open. */
    cut: () => {
      for (const res of open) res.destroy();
    },
  };
}

/** In the page. */
function listen(paths: readonly string[]): Promise<readonly Heard[]> {
  return Promise.all(
    paths.map(
      (path) =>
        new Promise<Heard>((resolve) => {
          const heard = { ids: [] as string[], ends: [] as string[] };
          const source = new EventSource(path);
          source.addEventListener('step', (event) => {
            if (event instanceof MessageEvent) heard.ids.push(event.lastEventId);
          });
          source.addEventListener('result', ({ type }) => void heard.ends.push(type));
          source.addEventListener('error', (event) => {
            if (event instanceof MessageEvent) heard.ends.push('error');
            else if (source.readyState === EventSource.CLOSED) resolve(heard);
          });
        }),
    ),
  );
}

describe.skipIf(executablePath === '')('the events of a run in an EventSource of a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(executablePath);
  });
  afterAll(() => browser?.close());

  async function inPage(url: string, paths: readonly string[]): Promise<readonly Heard[]> {
    const page = await browser.newPage();
    await page.goto(url);
    return page.evaluate(listen, paths);
  }

  const calls = '[[call note {}]] [[call note {}]] [[call note {}]]';
  const start = () =>
    thinking((app) => {
      const scopes = ['write'];
      app.post('/note', { tool: true, toolName: 'note', scopes }, () => 'noted');
      app.post('/pay', { tool: true, toolName: 'pay', scopes, approval: 'required' }, () => 'paid');
      app.agent('clerk', { scopes, tools: ['note', 'pay'] });
    });

  it.each([
    ['completed', `${calls} [[say Done.]]`, 'result'],
    ['failed', `${calls} [[error 400]]`, 'error'],
  ])('tell each step and the end once, wherever connections are cut: %s', async (status, input, end) => {
    const app = await start();
    const { value } = await app.ask('clerk', input);
    const run =
      (value as unknown as { readonly run?: { readonly run_id: string } }).run?.run_id ?? value.run_id;
    const path = `/agents/clerk/runs/${run}`;
    const whole = await app.send(path, undefined, 'ANN_KEY', { accept: 'text/event-stream' });
    const ids = [...whole.text.matchAll(/^id: (\S+)\nevent: step$/gm)].map(([, id]) => id);
    expect(ids.length, status).toBeGreaterThan(5);
    expect(ids).toEqual(ids.map((_, i) => `${run}/${i + 1}`));
    const { length } = whole.text;
    const places = Array.from({ length: 40 }, (_, i) => Math.floor((i * length) / 40) + 1);
    const cuts = Object.fromEntries(places.map((at, i) => [`cut${i}`, [at, length - at, at]]));
    const proxy = await cutter(app.url, cuts);
    const all = await inPage(
      `${proxy.url}/`,
      Object.keys(cuts).map((name) => `/${name}${path}`),
    );
    expect(all).toEqual(all.map(() => ({ ids, ends: [end] })));
    for (const seen of Object.values(proxy.seen)) {
      expect(seen.at(-1)).toEqual({
        after: expect.stringMatching(`^${run}/\\d+/end$`) as string,
        status: 204,
      });
      expect(seen.filter((one) => one.status === 204)).toHaveLength(1);
    }
    expect(Object.values(proxy.seen).filter(({ length: asked }) => asked > 2).length).toBeGreaterThan(20);
  });

  it('go on where they were when a run waits, and the connection is cut meanwhile', async () => {
    verifies('run.steps.once');
    const app = await start();
    const { value } = await app.ask('clerk', '[[call note {}]] [[call pay {}]] [[say Paid.]]');
    const path = `/agents/clerk/runs/${value.run_id}`;
    const proxy = await cutter(app.url, {});
    const heard = inPage(`${proxy.url}/`, [`/one${path}`]);
    const followed = (): number | undefined =>
      proxy.seen['one']?.filter(({ status }) => status === 200).length;
    await expect.poll(followed).toBe(1);
    proxy.cut();
    await expect.poll(followed).toBe(2);
    const [approval] = value.pending_approvals ?? [];
    await app.send(`/_svc/approvals/${approval?.approval_id}`, { approve: true, note: '' });
    const [{ ids, ends } = { ids: [], ends: [] }] = await heard;
    expect(ids).toEqual(ids.map((_, i) => `${value.run_id}/${i + 1}`));
    expect(ends).toEqual(['result']);
    expect(proxy.seen['one']?.at(-1)?.status).toBe(204);
  });
});
