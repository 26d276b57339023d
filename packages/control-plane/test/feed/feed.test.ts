import { createRouteTable, type Progress } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { memoryStores } from '@waymark/contract/memory';
import type { Runner, ToldStep } from '@waymark/contract/runs';
import type { AuditRecord } from '@waymark/contract/stores';
import { testHost, verifies } from '@waymark/contract/testing';
import { controlPlane } from '@waymark/control-plane';
import { describe, expect, it } from 'vitest';
import { options } from '../serve.ts';

/** A feed over a log that counts who asks it, by a clock that stands still. */
function open() {
  const stores = memoryStores();
  const asked = { following: 0, steps: 0, failing: false, missed: false };
  const steps: ToldStep[] = [];
  const audit: typeof stores.audit = {
    ...stores.audit,
    following: (...args) => {
      asked.following++;
      return asked.failing ? Promise.reject(new Error('disk')) : stores.audit.following(...args);
    },
  };
  const runner = {
    tailSteps: () => ({
      read: async () => {
        asked.steps++;
        return { steps: steps.splice(0), missed: asked.missed };
      },
    }),
  } as unknown as Runner;
  const host = testHost({ stores: { ...stores, audit }, runner });
  const plane = controlPlane({ ...options, kinds: () => ['said', 'heard'] });
  const route = createRouteTable(plane.routes).freeze().get('get_svc_events');
  void plane.start?.(host);
  let id = 0;
  const append = (...records: readonly Partial<AuditRecord>[]): Promise<void> =>
    stores.audit.append(
      records.map((record) => ({
        kind: 'said',
        at_ms: host.now(),
        ...record,
        id: String(++id).padStart(4, '0'),
      })),
    );
  /** Somebody who listens, until `leave`; `full` is settled by whoever takes what was told. */
  const listen = async (kinds?: string, after?: string) => {
    const going = new AbortController();
    const told: Progress[] = [];
    const line = { room: Promise.resolve() };
    const context = {
      input: { ...(kinds !== undefined && { kinds }) },
      request: {
        method: 'GET',
        headers: { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) },
      },
      signal: going.signal,
      observe: (progress: Progress) => void told.push(progress),
      room: () => line.room,
    } as unknown as EngineContext;
    const ended = Promise.resolve(route?.engine.answer?.(context));
    ended.catch(() => {});
    await expect.poll(() => told.length > 0).toBe(true);
    const kindsOf = () => told.slice(1).map(({ data }) => (data as { kind?: string }).kind ?? 'missed');
    const leave = async (): Promise<void> => {
      going.abort();
      await ended;
    };
    return { told, line, leave, ended, kindsOf };
  };
  return { host, asked, steps, append, listen };
}

describe('a feed', () => {
  it('reads nothing and sets no timer while nobody listens', async () => {
    verifies('feed.idle');
    const { host, asked, append, listen } = open();
    await append({}, {});
    await host.clock.advance(60_000);
    expect([asked.following, asked.steps, host.clock.pending]).toEqual([0, 0, 0]);
    const reader = await listen();
    await host.clock.advance(1_000);
    expect(asked.following).toBe(5);
    await reader.leave();
    expect(host.clock.pending).toBe(0);
    await host.clock.advance(60_000);
    expect([asked.following, host.clock.pending]).toEqual([5, 0]);
  });

  it('reads the log once for all who listen, and the steps of runs only for those who want them', async () => {
    verifies('feed.crowd');
    const { host, asked, append, listen } = open();
    const crowd = await Promise.all(Array.from({ length: 100 }, () => listen('audit')));
    await append({}, {});
    await host.clock.advance(250);
    for (const { kindsOf } of crowd) await expect.poll(kindsOf).toEqual(['said', 'said']);
    expect([asked.following, asked.steps]).toEqual([2, 0]);
    await Promise.all(crowd.map(({ leave }) => leave()));
  });

  it('puts steps before what was said of their run after them, and none after its end', async () => {
    verifies('feed.order');
    const { host, steps, append, listen } = open();
    const { kindsOf, leave } = await listen();
    const atMs = host.now();
    const step = (seq: number, kind: 'model' | 'tool_call', ms: number): ToldStep => ({
      ...{ seq, kind, run_id: 'r1', root_run_id: 'r1', agent: 'clerk', at_ms: atMs + ms, duration_ms: 1 },
    });
    steps.push(step(1, 'model', 1), step(2, 'tool_call', 5), step(3, 'model', 90));
    await append(
      { kind: 'run_started', run_id: 'r1', at_ms: atMs },
      { kind: 'approval_requested', run_id: 'r1.2', at_ms: atMs + 3 },
      { kind: 'run_finished', run_id: 'r1', at_ms: atMs + 50 },
    );
    await host.clock.advance(250);
    await expect
      .poll(kindsOf)
      .toEqual(['run_started', 'model', 'approval_requested', 'tool_call', 'model', 'run_finished']);
    await leave();
  });

  it('says that steps may be missing to who wants steps, and to nobody else', async () => {
    verifies('feed.clocks');
    const { host, asked, append, listen } = open();
    const readers = await Promise.all([listen(), listen('tool_call'), listen('said')]);
    asked.missed = true;
    await append({});
    await host.clock.advance(250);
    const [all, calls, said] = readers;
    await expect.poll(() => all?.kindsOf()).toEqual(['missed', 'said']);
    expect([calls?.kindsOf(), said?.kindsOf()]).toEqual([['missed'], ['said']]);
    expect(all?.told[1]).toMatchObject({ event: 'missed', data: { count: null, types: ['step'] } });
    await Promise.all(readers.map(({ leave }) => leave()));
  });

  it('counts for a slow reader what it wants, and for nobody what they do not', async () => {
    verifies('feed.slow');
    const { host, append, listen } = open();
    const slow = await listen('said');
    const other = await listen('insight');
    let read = (): void => {};
    slow.line.room = new Promise((resolve) => {
      read = resolve;
    });
    await append({});
    await host.clock.advance(250);
    await expect.poll(slow.kindsOf).toEqual(['said']);
    // More than is held, in one look and over several.
    await append(...Array.from({ length: 2_500 }, (_, i) => ({ kind: i % 2 === 0 ? 'said' : 'heard' })));
    await host.clock.advance(250);
    await append(...Array.from({ length: 10 }, () => ({ kind: 'heard' })));
    await host.clock.advance(250);
    slow.line.room = Promise.resolve();
    read();
    await expect.poll(() => slow.told.length).toBeGreaterThan(490);
    const [, , missed, ...said] = slow.told;
    expect(missed).toMatchObject({ event: 'missed', data: { types: ['audit'] } });
    expect(countOf(missed) + said.length).toBe(1_250);
    expect(other.kindsOf()).toEqual([]);
    await Promise.all([slow.leave(), other.leave()]);
  });

  it('goes on when the log can be read again', async () => {
    const { host, asked, append, listen } = open();
    const { kindsOf, leave } = await listen();
    asked.failing = true;
    await append({});
    await host.clock.advance(750);
    expect(host.logs.map(({ message }) => message)).toEqual(['the feed cannot read what happened']);
    asked.failing = false;
    await host.clock.advance(250);
    await expect.poll(kindsOf).toEqual(['said']);
    await leave();
  });

  it('tells nothing twice to who has heard it from another process', async () => {
    const { host, append, listen } = open();
    const first = await listen();
    await append({}, {});
    // The other process has read it, and this one has not.
    const second = await listen('said', '2-0002');
    await append({ kind: 'said', n: 3 });
    await host.clock.advance(250);
    await expect.poll(first.kindsOf).toEqual(['said', 'said', 'said']);
    await expect.poll(second.kindsOf).toEqual(['said']);
    await Promise.all([first.leave(), second.leave()]);
  });
});

function countOf(missed: Progress | undefined): number {
  return Number((missed?.data as { readonly count: number } | undefined)?.count);
}
