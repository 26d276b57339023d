import type { Host } from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import type { ApplicationOptions } from '@waymark/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callers, thinking } from './agents-application.ts';
import { type FeedReader, listen, type Told } from './feed-reader.ts';

const ann = { 'x-api-key': callers.ANN_KEY };

/** A desk with a gated tool, whose plugin says what a test wants. */
async function desk(options: ApplicationOptions = {}) {
  let host: Host | undefined;
  const app = await thinking((one) => {
    const tool = { tool: true, scopes: ['write'] } as const;
    one.post('/note', { ...tool, toolName: 'note' }, () => 'x'.repeat(5_000));
    one.post('/pay', { ...tool, toolName: 'pay', approval: 'required' }, () => 'paid');
    one.agent('clerk', { scopes: ['write'], tools: ['note', 'pay'] });
    one.camera('door', { maxFps: 2, readScopes: ['devices:read'], ingestScopes: ['devices:ingest'] });
    one.add({
      ...{ name: 'teller', routes: [], audits: ['said', 'third', 'of_a_plugin'] },
      start: (given) => {
        host = given;
      },
    });
  }, options);
  const emit = (kind: string, members: object = {}): void => host?.emit({ kind, ...members });
  return { ...app, emit };
}

const isKind =
  (kind: string) =>
  ({ data }: Told): boolean =>
    data['kind'] === kind;

const kindsOf = ({ told }: FeedReader): readonly unknown[] => told.slice(1).map(({ data }) => data['kind']);

describe('the feed', () => {
  it('tells what a run does in its order, and nothing after its end', async () => {
    verifies('feed.members', 'feed.types', 'feed.order', 'feed.steps.small');
    const { url, ask, send } = await desk();
    const reader = await listen(url, ann, { kinds: 'run,step,approval' });
    const { value } = await ask('clerk', '[[call note {}]] [[call pay {}]] [[say Paid.]]');
    await reader.has(isKind('approval_requested'));
    await send(`/_svc/approvals/${value.pending_approvals?.[0]?.approval_id}`, { approve: true, note: '' });
    await reader.has(isKind('run_finished'));
    expect(kindsOf(reader)).toEqual([
      ...['run_started', 'model', 'tool_call', 'model', 'approval_requested', 'approval_decided'],
      ...['tool_call', 'model', 'run_finished'],
    ]);
    const numbers = reader.told.flatMap(({ data }) => (data['seq'] === undefined ? [] : [data['seq']]));
    expect(numbers).toEqual([...numbers].sort((a, b) => Number(a) - Number(b)));
    for (const { id, event, data } of reader.told.slice(1)) {
      expect(id).toMatch(/^\d+-[0-9A-Z]{26}$/);
      expect(data).toMatchObject({ type: event, at_ms: expect.any(Number), run_id: value.run_id });
      expect(Object.keys(data)).not.toContain('result');
    }
    expect(JSON.stringify(reader.told)).not.toContain('xxxx');
  });

  it.each([2, -2])(
    'tells every step once, and none of before, when the clock is set by %i h',
    async (hours) => {
      verifies('feed.clocks', 'feed.order');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      onTestFinished(() => void vi.useRealTimers());
      const { url, ask, send } = await desk();
      const { value: rests } = await ask('clerk', '[[call note {}]] [[call pay {}]] [[say Paid.]]');
      const reader = await listen(url, ann, { kinds: 'run,step' });
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      const { value: next } = await ask('clerk', '[[call note {}]] [[say Noted.]]');
      const ended = (id: string) =>
        reader.has((told) => isKind('run_finished')(told) && told.data['run_id'] === id);
      await ended(next.run_id);
      await send(`/_svc/approvals/${rests.pending_approvals?.[0]?.approval_id}`, { approve: true, note: '' });
      await ended(rests.run_id);
      const of = (id: string) =>
        reader.told.flatMap(({ data }) => (data['run_id'] === id ? [data['kind']] : []));
      expect(of(next.run_id)).toEqual(['run_started', 'model', 'tool_call', 'model', 'run_finished']);
      expect(of(rests.run_id).filter((kind) => kind !== 'run_started')).toEqual([
        'tool_call',
        'model',
        'run_finished',
      ]);
    },
  );

  it('tells of devices, insights, webhooks and whatever else is audited', async () => {
    verifies('feed.types', 'feed.kinds');
    const { url, emit, send } = await desk();
    const all = await listen(url, ann);
    const some = await listen(url, ann, { kinds: 'device,tool_called' });
    await send('/devices/door/telemetry', { light: 3 });
    await send('/note', {});
    for (const kind of ['insight', 'webhook_failed', 'auth_refused', 'of_a_plugin']) emit(kind);
    await all.has(isKind('of_a_plugin'));
    const types = Object.fromEntries(all.told.map(({ event, data }) => [data['kind'], event]));
    expect(types).toMatchObject({
      ...{ device_status: 'device', insight: 'insight', webhook_failed: 'webhook' },
      ...{ tool_called: 'audit', auth_refused: 'audit', of_a_plugin: 'audit' },
    });
    expect(new Set(kindsOf(some))).toEqual(new Set(['device_status', 'tool_called']));
  });

  it('refuses a filter that it does not know', async () => {
    verifies('feed.kinds');
    const { send, emit, url } = await desk();
    expect((await send('/_svc/events?kind=run')).status).toBe(422);
    for (const query of ['events?kinds=run,aproval', 'audit?kind=tool_caled'])
      expect([query, (await send(`/_svc/${query}`)).status]).toEqual([query, 422]);
    expect((await send('/_svc/audit?kind=tool_caled')).text).toContain('did you mean');
    for (const query of ['events?kinds=run,zebras_seen', 'audit?kind=zebras_seen']) {
      const { status, text } = await send(`/_svc/${query}`);
      expect([query, status]).toEqual([query, 422]);
      expect(text).toMatch(/there is no kind .*zebras_seen.*; there are .*session_opened.*of_a_plugin/);
    }
    // Those that a plugin names, before it has told any; and those of events that are kept.
    expect((await send('/_svc/events?kinds=of_a_plugin')).status).toBe(200);
    expect((await send('/_svc/audit?kind=of_a_plugin')).text).toContain('"events":[]');
    expect((await send('/_svc/audit?kind=of_a_plugni')).text).toContain('of_a_plugin');
    const all = await listen(url, ann);
    emit('run_startled');
    await all.has(isKind('run_startled'));
    expect((await send('/_svc/events?kinds=run_startled')).status).toBe(200);
    expect((await send('/_svc/events?kinds=run,,step')).status).toBe(422);
    expect((await send(`/_svc/events?kinds=${'a,'.repeat(40)}a`)).status).toBe(422);
  });

  it('is for operators alone', async () => {
    verifies('feed.admin');
    const { url } = await desk();
    expect((await listen(url, {})).status).toBe(401);
    expect((await listen(url, { 'x-api-key': 'a-key-that-nobody-ever-declared' })).status).toBe(401);
    expect((await listen(url, { 'x-api-key': callers.CAT_KEY })).status).toBe(403);
  });

  it('takes a place of its caller', async () => {
    verifies('feed.places');
    const { url } = await desk({ maxSocketsPerCaller: 2 });
    const one = await listen(url, ann);
    await listen(url, ann);
    expect((await listen(url, ann)).status).toBe(429);
    expect((await listen(url, { 'x-api-key': callers.BEN_KEY })).status).toBe(200);
    one.leave();
    await expect.poll(async () => (await listen(url, ann)).status).toBe(200);
  });

  it('keeps texts of others what they are', async () => {
    verifies('feed.hostile', 'feed.long');
    const { url, emit } = await desk();
    const reader = await listen(url, ann);
    const text = 'a\n\nid: 9-X\nevent: run\ndata: {"type":"run"}\r\n\r\u2028\0<script>';
    emit('of_a_plugin', { text, type: 'approval', event: 'missed' });
    emit('of_a_plugin', { ['__proto__x']: text, text: 'y'.repeat(20_000), run_id: 'r1' });
    emit('the_end');
    await reader.has(isKind('the_end'));
    expect(reader.told.map(({ event }) => event)).toEqual(['ready', 'audit', 'audit', 'audit']);
    const [, first, second] = reader.told;
    expect(first?.data).toMatchObject({ text, type: 'audit' });
    expect(second?.data).toEqual({
      ...{ id: expect.any(String), at_ms: expect.any(Number), kind: 'of_a_plugin', type: 'audit' },
      ...{ run_id: 'r1', cut_chars: expect.any(Number) },
    });
    for (const after of ['', '0', 'x'.repeat(4_000), '1-<script>', '-1-0', '99999999999999999-A', '1-%00'])
      expect((await listen(url, ann, { after })).status).toBe(200);
  });
});

describe('who comes back', () => {
  it('is told what it has not seen, each event once', async () => {
    verifies('feed.resume');
    const { url, emit } = await desk();
    const first = await listen(url, ann);
    for (let i = 0; i < 40; i++) emit('said', { i });
    await first.has(({ data }) => data['i'] === 20);
    const after = first.told.find(({ data }) => data['i'] === 20)?.id;
    first.leave();
    for (let i = 40; i < 90; i++) emit('said', { i });
    const second = await listen(url, ann, { after, kinds: 'said' });
    for (let i = 90; i < 100; i++) emit('said', { i });
    await second.has(({ data }) => data['i'] === 99);
    expect(second.told.slice(1).map(({ data }) => data['i'])).toEqual(
      Array.from({ length: 79 }, (_, i) => i + 21),
    );
  });

  it('misses nothing of what came before its first event', async () => {
    verifies('feed.resume');
    const { url, emit } = await desk();
    const first = await listen(url, ann);
    first.leave();
    emit('said', { i: 1 });
    const second = await listen(url, ann, { after: first.lastId, kinds: 'said' });
    await second.has(isKind('said'));
  });

  it('is told how many are too far back', async () => {
    verifies('feed.resume.bounded');
    const { url, emit } = await desk();
    const first = await listen(url, ann);
    const all = 1_500;
    for (let i = 1; i <= all; i++) emit(i % 3 === 0 ? 'third' : 'said', { i });
    await first.has(({ data }) => data['i'] === 1_500 || data['count'] !== undefined);
    first.leave();
    const after = first.told[0]?.id;
    const second = await listen(url, ann, { after, kinds: 'third' });
    await second.has(({ data }) => data['i'] === all);
    const [, missed, ...told] = second.told;
    expect(missed).toMatchObject({ event: 'missed', data: { type: 'missed', types: ['audit'] } });
    expect(told.map(({ data }) => data['i'])).toEqual(
      Array.from({ length: told.length }, (_, i) => all - 3 * (told.length - 1 - i)),
    );
    expect(Number(missed?.data['count']) + told.length).toBe(500);
    expect(told.length).toBeGreaterThan(300);
    expect(told.length).toBeLessThan(340);
  });

  it('is told that nobody knows, where its last event is of another log', async () => {
    verifies('feed.resume.unknown');
    const { url, emit } = await desk();
    emit('said', { i: 1 });
    const live = await listen(url, ann);
    await expect.poll(async () => (await page(url, '0-')).events.length).toBe(1);
    live.leave();
    for (const after of ['1-01M00000000000000000000000', '77-X', 'nothing']) {
      const reader = await listen(url, ann, { after, kinds: 'said' });
      await reader.has(isKind('said'));
      expect(reader.told[1]?.data).toMatchObject({ type: 'missed', count: null, types: ['audit'] });
    }
  });

  it('is told that steps are not told again', async () => {
    verifies('feed.resume.steps');
    const { url } = await desk();
    const first = await listen(url, ann);
    first.leave();
    const second = await listen(url, ann, { after: first.lastId });
    await second.has(({ event }) => event === 'missed');
    expect(second.told[1]?.data).toMatchObject({ count: null, types: ['step'] });
  });
});

describe('who asks for JSON', () => {
  it('gets what has happened since the last event, and where to go on', async () => {
    verifies('feed.page');
    const { url, emit } = await desk();
    const begin = await page(url);
    expect(begin).toEqual({ events: [], next: '0-', missed: false });
    for (let i = 0; i < 5; i++) emit('said', { i });
    await expect.poll(async () => (await page(url, begin.next)).events.length).toBe(5);
    const two = await page(url, begin.next, '?limit=2');
    expect(two.events.map(({ i }) => i)).toEqual([0, 1]);
    const rest = await page(url, two.next, '?kinds=said');
    expect(rest.events.map(({ i }) => i)).toEqual([2, 3, 4]);
    expect(await page(url, rest.next)).toEqual({ events: [], next: rest.next, missed: false });
    expect(await page(url, '3-X', '?limit=1')).toMatchObject({ events: [{ i: 0 }], missed: true });
  });
});

async function page(url: string, after?: string, query = '') {
  const headers = { ...ann, ...(after !== undefined && { 'last-event-id': after }) };
  const response = await fetch(`${url}/_svc/events${query}`, { headers });
  expect(response.status).toBe(200);
  return (await response.json()) as {
    readonly events: readonly { readonly [member: string]: unknown }[];
    readonly next: string;
    readonly missed: boolean;
  };
}
