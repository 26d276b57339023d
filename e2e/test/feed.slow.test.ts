import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient, type LiveEvent } from '@waymark/client';
import type { Host } from '@waymark/contract/engine';
import { byTier, verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import type { ApplicationOptions } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callers, thinking } from './agents-application.ts';
import { bearerOf } from './agents-token.ts';
import { type FeedReader, listen, type Told, toTold } from './feed-reader.ts';
import { deskKey, serveDesk } from './kills/serve-desk.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const ann = { 'x-api-key': callers.ANN_KEY };
const key = { 'x-api-key': deskKey };

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'feed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A server whose plugin says what a test wants, with a database of its own. */
async function desk(options: ApplicationOptions = {}) {
  let host: Host | undefined;
  const app = await thinking(
    (one) => {
      one.jwt('TOKEN_SECRET', { algorithm: 'HS256' });
      one.get('/note', { tool: true, toolName: 'note', scopes: ['read'] }, () => 'noted');
      one.agent('clerk', { scopes: ['read'], tools: ['note'] });
      one.add({
        ...{ name: 'teller', routes: [], audits: ['said'] },
        start: (given) => {
          host = given;
        },
      });
    },
    { database: `sqlite://${join(newFolder(), 'desk.db')}`, ...options },
  );
  return { ...app, emit: (members: object) => host?.emit({ kind: 'said', ...members }) };
}

const numbersOf = ({ told }: FeedReader): readonly unknown[] =>
  told.flatMap(({ data }) => (data['i'] === undefined ? [] : [data['i']]));

describe('a server that is killed', () => {
  it('loses and doubles nothing for who comes back to the next one', async () => {
    verifies('feed.resume.killed', 'feed.resume');
    const folder = newFolder();
    const models = await startSimulator({ anonymous: true });
    onTestFinished(() => models.close());
    const start = () => serveDesk('takeover-desk', folder, { MODELS: models.url });
    const seen: string[] = [];
    let after: string | undefined;
    for (let round = 0; round < byTier({ quick: 2, slow: 2, drill: 3 }); round++) {
      const server = await start();
      const reader = await listen(server.url, key, { after, kinds: 'run,audit,approval' });
      expect(reader.told[0]?.data).toMatchObject({ type: 'ready' });
      const work = Array.from({ length: 20 }, (_, i) =>
        (i % 4 === 0 ? run(server.url) : read(server.url)).catch(() => 'cut off'),
      );
      await Promise.all(work.slice(0, 12));
      // In the middle: what is told, and what is stored and not told yet.
      await reader.has(({ event }) => event === 'run');
      await server.kill();
      await Promise.all(work);
      await reader.ended;
      const told = reader.told.filter(({ event }) => event !== 'ready');
      expect(told.filter(({ event }) => event === 'missed')).toEqual([]);
      seen.push(...told.map(({ data }) => String(data['id'])));
      after = reader.lastId;
    }
    const last = await start();
    const reader = await listen(last.url, key, { after, kinds: 'run,audit,approval' });
    await run(last.url);
    const ids = (): readonly string[] =>
      [...seen, ...reader.told.slice(1).map(({ data }) => String(data['id']))].sort();
    // Until the runs that were cut off have come to their ends, too.
    await expect.poll(async () => same(ids(), (await kept(last.url)).map(({ id }) => id).sort())).toBe(true);
    expect(new Set(ids()).size).toBe(ids().length);
    expect(ids().length).toBeGreaterThan(30);
  }, 120_000);
});

describe('the generated client', () => {
  it('reads on by itself when another server has taken the place of the one that was killed', async () => {
    verifies('feed.client', 'feed.resume.killed');
    const folder = newFolder();
    const models = await startSimulator({ anonymous: true });
    onTestFinished(() => models.close());
    let server = await serveDesk('takeover-desk', folder, { MODELS: models.url });
    const { origin } = new URL(server.url);
    const { control } = createClient({
      ...{ baseUrl: origin, apiKey: deskKey },
      // The address stays, whichever port the system gives.
      fetch: (request) =>
        fetch(
          new Request(server.url + String((request as Request).url).slice(origin.length), request as Request),
        ),
    });
    const going = new AbortController();
    const seen: LiveEvent[] = [];
    const reading = (async () => {
      for await (const event of control.events.stream({ kinds: 'audit' }, { signal: going.signal }))
        seen.push(event);
    })();
    const count = () => seen.filter(({ kind }) => kind === 'tool_called').length;
    await expect.poll(() => seen.length).toBe(1);
    await read(server.url);
    await read(server.url);
    await expect.poll(count).toBe(2);
    await server.kill();
    server = await serveDesk('takeover-desk', folder, { MODELS: models.url });
    await read(server.url);
    await expect.poll(count).toBe(3);
    going.abort();
    await reading.catch(() => undefined);
    const ids = seen.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    expect(seen.map(({ type }) => type)).not.toContain('missed');
  }, 60_000);
});

const same = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((value, i) => value === other[i]);

async function run(url: string): Promise<string> {
  const response = await fetch(`${url}/agents/desk`, {
    ...{ method: 'POST', body: JSON.stringify({ input: '[[call read {}]] [[say Done.]]' }) },
    headers: { ...key, 'content-type': 'application/json' },
  });
  return response.text();
}

async function read(url: string): Promise<string> {
  return (await fetch(`${url}/read`, { headers: key })).text();
}

async function kept(url: string): Promise<readonly { readonly [member: string]: string }[]> {
  const response = await fetch(`${url}/_svc/audit?limit=1000`, { headers: key });
  return ((await response.json()) as { events: { [member: string]: string }[] }).events;
}

describe('two servers on one database', () => {
  it('tell what happens at both', async () => {
    verifies('feed.processes');
    const folder = newFolder();
    const models = await startSimulator({ anonymous: true });
    onTestFinished(() => models.close());
    const [one, two] = await Promise.all(
      [1, 2].map(() => serveDesk('takeover-desk', folder, { MODELS: models.url })),
    );
    if (!one || !two) throw new Error('no servers');
    const readers = await Promise.all([one, two].map(({ url }) => listen(url, key)));
    await run(one.url);
    await read(two.url);
    for (const reader of readers) {
      await reader.has(({ data }) => data['kind'] === 'run_finished');
      await reader.has(({ data }) => data['route'] === 'read' && data['run_id'] === undefined);
      expect(reader.told.filter(({ event }) => event === 'step').map(({ data }) => data['kind'])).toEqual([
        ...['model', 'tool_call', 'model'],
      ]);
    }
  }, 60_000);
});

/** Opens a feed and does not read it. */
async function open(url: string, kinds: string): Promise<IncomingMessage> {
  const asked = request(`${url}/_svc/events?kinds=${kinds}`, {
    headers: { ...ann, accept: 'text/event-stream' },
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  onTestFinished(() => void response.destroy());
  return response;
}

/** Reads until an event is there. */
async function readUntil(
  response: IncomingMessage,
  wanted: (told: Told) => boolean,
): Promise<readonly Told[]> {
  const told: Told[] = [];
  let rest = '';
  response.setEncoding('utf8');
  for await (const piece of response) {
    const blocks = (rest + String(piece)).split('\n\n');
    rest = blocks.pop() ?? '';
    told.push(...blocks.filter((block) => !block.startsWith(':')).map(toTold));
    if (told.some(wanted)) break;
  }
  return told;
}

describe('a reader who does not read', () => {
  const all = byTier({ quick: 2_000, slow: 2_000, drill: 4_000 });

  it('is told exactly how many it missed, and holds next to nothing', async () => {
    verifies('feed.slow', 'feed.slow.bounded');
    const { url, emit } = await desk({ maxSocketsPerCaller: 100 });
    const stalled = await Promise.all(Array.from({ length: 20 }, () => open(url, 'said')));
    const live = await listen(url, ann, { kinds: 'said' });
    collect();
    const before = process.memoryUsage();
    const text = 'x'.repeat(7_000);
    for (let i = 0; i < all; i += 200) {
      for (let j = i; j < i + 200; j++) emit({ i: j, text });
      await live.has(({ data }) => data['i'] === i + 199);
    }
    live.leave();
    live.forget();
    collect();
    const after = process.memoryUsage();
    // It would be 14 MB or more for each of them.
    const grown = after.heapUsed + after.external - before.heapUsed - before.external;
    expect(grown).toBeLessThan(60e6);
    emit({ i: all });
    const [reader] = stalled;
    const told = await readUntil(reader as IncomingMessage, ({ data }) => data['i'] === all);
    const said = told.filter(({ data }) => data['kind'] === 'said');
    const missed = told.filter(({ event }) => event === 'missed');
    expect(missed.length).toBeGreaterThan(0);
    const count = missed.reduce((sum, { data }) => sum + Number(data['count']), 0);
    expect(said.length + count).toBe(all + 1);
    // In place: each gap is as large as what was told in its stead.
    let next = 0;
    for (const { event, data } of told.slice(1)) {
      if (event === 'missed') next += Number(data['count']);
      else expect(data['i']).toBe(next++);
    }
  }, 120_000);
});

describe('a hundred readers of one run', () => {
  it('hear the same', async () => {
    verifies('feed.crowd');
    const { url, ask } = await desk({ maxSocketsPerCaller: 200 });
    const readers = await Promise.all(Array.from({ length: 100 }, () => listen(url, ann)));
    await ask('clerk', '[[call note {}]] [[call note {}]] [[say Done.]]');
    for (const reader of readers) await reader.has(({ data }) => data['route'] === 'clerk');
    const [first] = readers;
    expect(first?.told.filter(({ event }) => event === 'step')).toHaveLength(5);
    for (const { told } of readers) expect(told.slice(1)).toEqual(first?.told.slice(1));
    for (const reader of readers) reader.leave();
  }, 60_000);
});

describe('the end of a feed', () => {
  it('comes with that of the token', async () => {
    verifies('feed.expires');
    const { url, emit } = await desk();
    const reader = await listen(url, { authorization: bearerOf('tess', 'svc:admin', 2) });
    emit({ i: 1 });
    await reader.ended;
    expect(numbersOf(reader)).toEqual([1]);
    expect(reader.told.at(-1)).toMatchObject({ event: 'error', data: { status: 401 } });
  });

  it('comes when shutdown begins, with an error', async () => {
    verifies('feed.shutdown');
    const { url, close } = await desk({ shutdownTimeout: 10 });
    const reader = await listen(url, ann);
    const beganMs = performance.now();
    await Promise.all([close(), reader.ended]);
    expect(performance.now() - beganMs).toBeLessThan(5_000);
    expect(reader.told.at(-1)).toMatchObject({ event: 'error', data: { status: 503 } });
  });

  it('does not come with silence', async () => {
    verifies('feed.keep-alive');
    const { url, emit } = await desk({ requestTimeout: 0.4 });
    const reader = await listen(url, ann);
    await expect.poll(() => reader.comments).toBeGreaterThan(4);
    emit({ i: 1 });
    await reader.has(({ data }) => data['i'] === 1);
    reader.leave();
  });
});
