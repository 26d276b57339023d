import type { Log } from '@waymark/contract/engine';
import type { AuditRecord, AuditStore } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuditLog, createDispatcher, createHost } from '../../src/index.ts';
import { later, serve } from '../kit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** As wide as they are compared: ids of a log sort by time. */
const toId = (n: number): string => String(n).padStart(6, '0');

/** A store that notes its batches and takes as long as `wait` does; the pauses between attempts are the longest. */
function open(wait: () => Promise<void> = async () => {}) {
  const batches: (readonly AuditRecord[])[] = [];
  const store: AuditStore = {
    append: (records) => {
      batches.push(records);
      return wait();
    },
    list: async () => [],
    following: async () => ({ records: [], at: undefined, oldest: 0, newest: { n: 0, id: '' } }),
    countKinds: async () => new Map(),
  };
  let ids = 0;
  const log = vi.fn<Log>();
  const audit = createAuditLog(store, {
    ...{ now: () => Date.now(), newId: () => toId(++ids), log, random: () => 0 },
  });
  const emit = (count: number): void => {
    for (let i = 0; i < count; i++) audit.emit({ kind: 'tool_called', n: i });
  };
  return { ...audit, emitMany: emit, batches, log };
}

describe('createAuditLog', () => {
  it('writes what happened within a tenth of a second, together', async () => {
    verifies('audit.batched');
    const { emitMany, batches } = open();
    emitMany(2);
    await vi.advanceTimersByTimeAsync(99);
    emitMany(1);
    expect(batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches.map((batch) => batch.length)).toEqual([3]);
    emitMany(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(batches.map((batch) => batch.length)).toEqual([3, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives ids and times when events happen', async () => {
    const { emit, flush, batches } = open();
    const atMs = Date.now();
    emit({ kind: 'insight', id: 'own', at_ms: 1 });
    vi.advanceTimersByTime(50);
    emit({ kind: 'handoff' });
    await flush();
    expect(batches).toEqual([
      [
        { kind: 'insight', id: toId(1), at_ms: atMs },
        { kind: 'handoff', id: toId(2), at_ms: atMs + 50 },
      ],
    ]);
  });

  it('writes at once when flushed, and says when it is written', async () => {
    const { promise, resolve } = later<void>();
    const { emitMany, flush, batches } = open(() => promise);
    let written = false;
    emitMany(1);
    const flushed = flush().then(() => {
      written = true;
    });
    expect(batches).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(written).toBe(false);
    resolve();
    await flushed;
    expect(vi.getTimerCount()).toBe(0);
    await open().flush();
  });

  it('flushes what comes while it writes, too', async () => {
    const first = later<void>();
    const { emitMany, flush, batches } = open(() => first.promise);
    emitMany(1);
    const flushed = flush();
    emitMany(2);
    const again = flush();
    first.resolve();
    await Promise.all([flushed, again]);
    expect(batches.map((batch) => batch.length)).toEqual([1, 2]);
  });

  it('writes one batch at a time, in order', async () => {
    let open_ = 0;
    let most = 0;
    const { emitMany, batches } = open(async () => {
      most = Math.max(most, ++open_);
      await new Promise((resolve) => setTimeout(resolve, 450));
      open_--;
    });
    for (let i = 0; i < 20; i++) {
      emitMany(1);
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    expect(most).toBe(1);
    expect(batches.flat().map(({ id }) => Number(id))).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  it('forgets nothing that happens just when a batch is written', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const { emitMany, flush, batches } = open();
      emitMany(1);
      void flush();
      for (let i = 0; i < turns; i++) await Promise.resolve();
      emitMany(1);
      await vi.advanceTimersByTimeAsync(100);
      expect(batches.flat(), `after ${turns} turns`).toHaveLength(2);
    }
  });

  it.each([
    [9_999, 9_999, 0],
    [10_000, 10_000, 0],
    [10_001, 10_000, 1],
    [10_500, 10_000, 500],
  ])('holds ten thousand events, the newest, and says what is missing: %i', async (emitted, kept, lost) => {
    const { emitMany, flush, batches, log } = open();
    const atMs = Date.now();
    emitMany(emitted);
    await flush();
    const gap = { kind: 'audit_gap', events: lost, from_ms: atMs, to_ms: atMs };
    const written = batches.flat();
    if (lost > 0) expect(written.shift()).toEqual({ ...gap, id: toId(lost), at_ms: atMs });
    expect(written).toHaveLength(kept);
    expect(written.at(-1)?.id).toBe(toId(emitted));
    expect(log.mock.calls).toEqual(
      lost === 0
        ? []
        : [
            ['warn', 'audit events are lost: more wait than are kept'],
            ['warn', 'audit events are lost', { events: lost, from_ms: atMs, to_ms: atMs }],
          ],
    );
  });

  it('holds no more than that while the store answers nothing', async () => {
    const { promise, resolve } = later<void>();
    const { emitMany, batches, log } = open(() => promise);
    for (let i = 0; i < 30; i++) {
      emitMany(1_000);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(batches).toHaveLength(1);
    expect(log).toHaveBeenCalledTimes(1);
    resolve();
    await vi.advanceTimersByTimeAsync(100);
    expect(batches.map((batch) => batch.length)).toEqual([1_000, 10_001]);
    expect(batches[1]?.[0]).toMatchObject({ kind: 'audit_gap', events: 19_000 });
    expect(batches.flat().at(-1)?.id).toBe('030000');
  });

  it('is what a host emits into', async () => {
    const { table } = serve([]);
    const host = createHost({ table, dispatcher: createDispatcher(table) });
    host.emit({ kind: 'insight' });
    await vi.advanceTimersByTimeAsync(100);
    expect(await host.stores.audit.list({ limit: 10 })).toMatchObject([{ kind: 'insight' }]);
  });
});
