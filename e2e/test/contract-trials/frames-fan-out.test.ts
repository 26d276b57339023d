/**
 * Walks a frame through the contract: from an unread body past the rate, into one encoded buffer that all viewers
 * share, to slow viewers as the newest one with a count of what they missed, to a tool as an image, and to a watcher's
 * agent. Once over peers in memory, once over real sockets.
 */
import {
  type BodySource,
  callTool,
  createRouteTable,
  type Dispatcher,
  defineRoute,
  type Principal,
  type Route,
} from '@waymark/contract';
import {
  type FixedClock,
  fixedClock,
  type MemoryPeer,
  memoryPeer,
  testHost,
} from '@waymark/contract/testing';
import { createDispatcher, startPlugins } from '@waymark/core-routes';
import { createDoor, listen } from '@waymark/http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type TrialHubOptions, trialHub } from './hub/trial-hub.ts';

const yard: Principal = {
  id: 'yard',
  rootId: 'yard',
  authenticated: true,
  scopes: ['devices:ingest', 'devices:read'],
};
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function createTrial(options: Partial<TrialHubOptions> = {}, more: readonly Route[] = []) {
  const clock = fixedClock();
  const hub = trialHub({ maxFps: 10, maxFrameBytes: 1_000, ...options });
  const table = createRouteTable([...hub.routes, ...more]).freeze();
  const dispatcher = createDispatcher(table, { now: clock.now });
  const host = testHost({ clock, table, dispatcher });
  const plugins = await startPlugins([hub], host);
  cleanups.push(() => plugins.stop());
  const route = (path: string, socket = false) =>
    [...table].find((one) => one.path === `/devices/door/${path}` && one.socket === socket)!;
  return { clock, dispatcher, table, host, route, hub };
}

/** A body that tells whether anybody read it. */
function body(bytes: Uint8Array): BodySource & { readonly wasRead: () => boolean } {
  let read = false;
  return {
    contentType: 'image/jpeg',
    contentLength: bytes.length,
    read: async () => {
      read = true;
      return bytes;
    },
    stream: () => new Blob([bytes.slice()]).stream(),
    wasRead: () => read,
  };
}

function post(dispatcher: Dispatcher, route: Route, source: BodySource) {
  const input = {
    by: 'request',
    method: 'POST',
    path: route.path,
    headers: {},
    params: {},
    query: [],
  } as const;
  return dispatcher.dispatch({
    route,
    input: { ...input, body: source },
    principal: yard,
    via: 'http',
    requestId: 'r1',
  });
}

async function view(dispatcher: Dispatcher, route: Route, peer = memoryPeer()): Promise<MemoryPeer> {
  const input = {
    by: 'request',
    method: 'GET',
    path: route.path,
    headers: {},
    params: {},
    query: [],
  } as const;
  const admission = await dispatcher.upgrade({
    route,
    input: { ...input, body: body(new Uint8Array()) },
    principal: yard,
    via: 'socket',
    requestId: 'r2',
  });
  if (!admission.ok) throw new Error(`refused: ${admission.response.status}`);
  admission.accept(peer);
  await Promise.resolve();
  return peer;
}

async function publish(
  { dispatcher, route, clock }: { dispatcher: Dispatcher; route: (path: string) => Route; clock: FixedClock },
  ...pictures: readonly string[]
): Promise<void> {
  for (const picture of pictures) {
    await clock.advance(100);
    expect((await post(dispatcher, route('frames'), body(new TextEncoder().encode(picture)))).status).toBe(
      202,
    );
  }
}

describe('a frame', () => {
  it('that comes too fast is refused before its body is read', async () => {
    const trial = await createTrial();
    await publish(trial, 'one');
    const second = body(new Uint8Array(3));
    const response = await post(trial.dispatcher, trial.route('frames'), second);
    expect([response.status, response.headers['retry-after'], second.wasRead()]).toEqual([429, '1', false]);
  });

  it('reaches every viewer as header and bytes in one shared buffer', async () => {
    const trial = await createTrial();
    const peers = [
      await view(trial.dispatcher, trial.route('stream', true)),
      await view(trial.dispatcher, trial.route('stream', true)),
    ];
    const sent = peers.map((peer) => vi.spyOn(peer, 'sendEncoded'));
    await publish(trial, 'one');
    for (const peer of peers)
      expect(peer.records).toEqual([
        { type: 'hello', device: { name: 'door' }, insights: [] },
        { type: 'frame', seq: 1, media_type: 'image/jpeg', bytes: 3, at_ms: trial.clock.now() },
        new TextEncoder().encode('one'),
      ]);
    expect(sent[0]?.mock.calls[0]?.[0]).toBe(sent[1]?.mock.calls[0]?.[0]);
  });

  it('gives way to a newer one where the line is slow, and is counted there', async () => {
    const trial = await createTrial();
    const quick = await view(trial.dispatcher, trial.route('stream', true));
    const slow = await view(trial.dispatcher, trial.route('stream', true));
    slow.stalled = true;
    await publish(trial, 'one', 'two', 'three', 'four');
    expect(seqs(quick)).toEqual([1, 2, 3, 4]);
    expect(seqs(slow)).toEqual([1]);
    slow.drain();
    expect(slow.records.slice(3)).toEqual([
      { type: 'lagged', skipped: 2 },
      expect.objectContaining({ type: 'frame', seq: 4 }),
      new TextEncoder().encode('four'),
    ]);
  });

  it('is kept for nobody who left, not even before the hub saw them', async () => {
    const { dispatcher, route, hub } = await createTrial();
    const early = memoryPeer();
    early.disconnect();
    await view(dispatcher, route('stream', true), early);
    const late = await view(dispatcher, route('stream', true));
    expect(hub.gauges?.()).toMatchObject({ viewers: 2 });
    late.disconnect();
    await new Promise(setImmediate);
    expect(hub.gauges?.()).toMatchObject({ viewers: 0 });
  });

  it('is an image to whoever calls the snapshot as a tool', async () => {
    const trial = await createTrial();
    await publish(trial, 'one');
    const result = await callTool(trial.dispatcher, {
      route: trial.table.tool('door_snapshot')!,
      arguments: {},
      principal: yard,
      via: 'agent',
      requestId: 'r3',
    });
    const frame = { $image: { media_type: 'image/jpeg', data: Buffer.from('one').toString('base64') } };
    expect(result).toEqual({ ok: true, status: 200, value: { device: 'door', seq: 1, frame } });
  });

  it('is kept from those who may not read', async () => {
    const { dispatcher, route } = await createTrial();
    const stranger = { ...yard, scopes: [] };
    const input = { by: 'arguments', values: {} } as const;
    const admission = await dispatcher.upgrade({
      route: route('stream', true),
      input,
      principal: stranger,
      via: 'socket',
      requestId: 'r4',
    });
    expect(admission).toMatchObject({ ok: false, response: { status: 403 } });
  });
});

describe('a watcher', () => {
  it('asks its agent about each new picture, as itself, up to its ceiling', async () => {
    const asked: unknown[] = [];
    const guard = defineRoute(
      'POST',
      '/agents/guard',
      { input: { input: { type: 'string' } }, tool: true, toolName: 'guard', scopes: ['devices:read'] },
      ({ input }, { user }) => {
        asked.push([input, user.id, user.root_id]);
        return 'nobody';
      },
    );
    const watch = { agent: 'guard', everyMs: 1_000, maxRunsPerHour: 2 };
    const trial = await createTrial({ watch }, [guard]);
    for (const picture of ['one', 'two', 'three']) {
      await publish(trial, picture);
      await trial.clock.advance(3_000);
    }
    expect(asked).toEqual(Array(2).fill(['Anybody there?', 'watcher:calm', 'watcher:calm']));
    expect(await trial.host.stores.insights.recent('door', 10)).toMatchObject([
      { seq: 1, status: 'completed', output: 'nobody' },
      { seq: 2, status: 'completed', output: 'nobody' },
    ]);
    expect(trial.host.events).toEqual(
      Array(2).fill({ kind: 'insight', watcher: 'calm', status: 'completed' }),
    );
  });
});

describe('the same over real sockets', () => {
  it('sends a posted frame to every viewer', async () => {
    const { dispatcher } = await createTrial();
    const door = createDoor({
      dispatcher,
      authenticate: () => ({ ok: true, principal: yard }),
      newId: () => 'r5',
    });
    const listening = await listen(door, { host: '127.0.0.1', port: 0, shutdownTimeoutMs: 1_000 });
    cleanups.push(() => listening.close());
    const viewers = await Promise.all([open(listening.url), open(listening.url)]);
    const posted = await fetch(`${listening.url}/devices/door/frames`, { method: 'POST', body: 'one' });
    expect([posted.status, await posted.json()]).toEqual([202, { device: 'door', seq: 1 }]);
    for (const next of viewers) {
      expect(JSON.parse(String(await next()))).toMatchObject({ type: 'hello' });
      expect(JSON.parse(String(await next()))).toMatchObject({ type: 'frame', seq: 1, bytes: 3 });
      expect(Buffer.from((await next()) as ArrayBuffer).toString()).toBe('one');
    }
  });
});

function seqs(peer: MemoryPeer): unknown[] {
  return peer.records.flatMap((record) => (isFrame(record) ? [record.seq] : []));
}

function isFrame(record: unknown): record is { readonly type: 'frame'; readonly seq: number } {
  return typeof record === 'object' && record !== null && 'type' in record && record.type === 'frame';
}

/** Opens a viewer. @returns the next message each time, those that came early included */
async function open(url: string): Promise<() => Promise<unknown>> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/devices/door/stream`);
  socket.binaryType = 'arraybuffer';
  const messages: unknown[] = [];
  let wake = (): void => {};
  socket.addEventListener('message', ({ data }) => {
    messages.push(data);
    wake();
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  return async () => {
    while (messages.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return messages.shift();
  };
}
