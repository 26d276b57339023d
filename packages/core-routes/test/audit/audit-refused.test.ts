import type { Log } from '@waymark/contract/engine';
import type { AuditEvent, AuditRecord, AuditStore } from '@waymark/contract/stores';
import { verifies } from '@waymark/contract/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuditLog } from '../../src/index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const full = new Error('disk full');

/** A store that refuses, or hangs, as long as it is told to; it notes what it took, and when it was asked. */
function open(refuse: () => Promise<void> = () => Promise.reject(full)) {
  const kept: AuditRecord[] = [];
  const askedMs: number[] = [];
  const state = { broken: true };
  const store: AuditStore = {
    async append(records) {
      askedMs.push(performance.now());
      if (state.broken) await refuse();
      kept.push(...records);
    },
    list: async () => [],
    following: async () => ({ records: [], at: undefined, oldest: 0, newest: { n: 0, id: '' } }),
    countKinds: async () => new Map(),
  };
  let ids = 0;
  const log = vi.fn<Log>();
  const newId = (): string => String(++ids).padStart(6, '0');
  const audit = createAuditLog(store, { now: () => Date.now(), newId, log, random: () => 0 });
  const emitMany = (count: number, more: Partial<AuditEvent> = {}): void => {
    for (let i = 0; i < count; i++) audit.emit({ kind: 'tool_called', ...more });
  };
  const codes = (): readonly string[] => audit.troubles().map(({ code }) => code);
  return { audit, emitMany, kept, askedMs, state, log, codes };
}

const ids = (records: readonly AuditRecord[]): readonly number[] => records.map(({ id }) => Number(id));
const oneTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 1);

describe('an audit log whose store refuses', () => {
  it.each([
    ['rejects', () => Promise.reject(full)],
    [
      'throws',
      () => {
        throw full;
      },
    ],
  ])(
    'keeps every event while the store %s, and writes them in order as soon as it takes them',
    async (_, refuse) => {
      verifies('audit.kept');
      const { emitMany, kept, state, log } = open(refuse);
      for (let i = 0; i < 80; i++) {
        emitMany(3);
        await vi.advanceTimersByTimeAsync(100);
      }
      expect(kept).toEqual([]);
      state.broken = false;
      await vi.advanceTimersByTimeAsync(5_000);
      emitMany(15);
      await vi.advanceTimersByTimeAsync(100);
      expect(ids(kept)).toEqual(oneTo(255));
      expect(log.mock.calls).toEqual([
        ['error', 'audit events wait: the store refuses them', { events: 3, error: full }],
        ['info', 'audit events are written again', { waited_ms: expect.any(Number) as number }],
      ]);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it('tries again after 100 ms, and then ever more seldom, down to every 5 s', async () => {
    const { emitMany, askedMs } = open();
    emitMany(1);
    await vi.advanceTimersByTimeAsync(25_000);
    const pauses = askedMs.slice(1).map((ms, i) => Math.round(ms - (askedMs[i] ?? 0)));
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  it('begins with short pauses again after the store has taken something', async () => {
    const { emitMany, askedMs, state } = open();
    emitMany(1);
    await vi.advanceTimersByTimeAsync(3_100);
    state.broken = false;
    await vi.advanceTimersByTimeAsync(5_000);
    state.broken = true;
    const before = askedMs.length;
    emitMany(1);
    await vi.advanceTimersByTimeAsync(450);
    expect(askedMs.length - before).toBe(3);
  });

  it('says what had to be dropped in one event, at its place, before those that were kept', async () => {
    verifies('audit.gap');
    const { emitMany, kept, state, log } = open();
    const fromMs = Date.now();
    emitMany(4_000);
    await vi.advanceTimersByTimeAsync(1_000);
    emitMany(4_000);
    await vi.advanceTimersByTimeAsync(1_000);
    emitMany(4_000);
    const lost = { events: 2_000, from_ms: fromMs, to_ms: fromMs };
    await vi.advanceTimersByTimeAsync(5_000);
    state.broken = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(kept[0]).toEqual({ kind: 'audit_gap', id: '002000', at_ms: fromMs, ...lost });
    expect(ids(kept.slice(1))).toEqual(oneTo(12_000).slice(2_000));
    expect(
      log.mock.calls.map(([level, message, { error: _error, ...fields } = {}]) => [level, message, fields]),
    ).toEqual([
      ['error', 'audit events wait: the store refuses them', { events: 4_000 }],
      ['warn', 'audit events are lost: more wait than are kept', {}],
      ['info', 'audit events are written again', { waited_ms: expect.any(Number) as number }],
      ['warn', 'audit events are lost', lost],
    ]);
    emitMany(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(kept.filter(({ kind }) => kind === 'audit_gap')).toHaveLength(1);
  });

  it('adds up what was dropped in several attempts', async () => {
    verifies('audit.gap');
    const { emitMany, kept, state } = open();
    const fromMs = Date.now();
    for (let i = 0; i < 3; i++) {
      emitMany(10_000);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    state.broken = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(kept[0]).toMatchObject({
      kind: 'audit_gap',
      events: 20_000,
      from_ms: fromMs,
      to_ms: fromMs + 1_000,
    });
    expect(ids(kept.slice(1))).toEqual(oneTo(30_000).slice(20_000));
  });

  it.each([
    [15, 15],
    [16, 15],
    [40, 15],
  ])('keeps no more than 16 MiB of them: %i of 1 MiB', async (emitted, kept_) => {
    const { emitMany, kept, state } = open();
    emitMany(1, { note: 'first' });
    await vi.advanceTimersByTimeAsync(100);
    emitMany(emitted, { note: 'x'.repeat(1_048_576) });
    state.broken = false;
    await vi.advanceTimersByTimeAsync(5_000);
    const notes = kept.filter(({ kind, note }) => kind !== 'audit_gap' && note !== 'first');
    expect(notes).toHaveLength(kept_);
    expect(kept.some(({ kind }) => kind === 'audit_gap')).toBe(emitted > kept_);
  });

  it('measures those, too, that came before the store refused', async () => {
    const { emitMany, kept, state } = open();
    emitMany(40, { note: 'x'.repeat(1_048_576) });
    await vi.advanceTimersByTimeAsync(150);
    state.broken = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(kept[0]).toMatchObject({ kind: 'audit_gap', events: 25 });
    expect(kept).toHaveLength(16);
  });

  it('is kept up by no event that cannot be written', async () => {
    const { audit, emitMany, kept, state } = open();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    emitMany(1);
    // A plugin without types may emit anything.
    for (const odd of [{ kind: 'odd', cycle }, { kind: 'odd', big: 1n }, {}]) audit.emit(odd as AuditEvent);
    await vi.advanceTimersByTimeAsync(100);
    audit.emit({ kind: 'odd', cycle } as unknown as AuditEvent);
    emitMany(1);
    state.broken = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(kept.map(({ kind }) => kind)).toEqual(['audit_gap', 'tool_called', 'tool_called']);
    expect(kept[0]).toMatchObject({ events: 4 });
  });

  it('is a trouble as soon as a batch has waited for more than a second, and none any more when it is written', async () => {
    verifies('audit.kept');
    const { emitMany, state, codes } = open();
    expect(codes()).toEqual([]);
    emitMany(1);
    await vi.advanceTimersByTimeAsync(100);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(codes()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(codes()).toEqual(['audit-behind']);
    state.broken = false;
    await vi.advanceTimersByTimeAsync(1_600);
    expect(codes()).toEqual([]);
  });

  it('is none where a busy store takes batch after batch', async () => {
    const { audit, emitMany, codes, state } = open(() => new Promise((resolve) => setTimeout(resolve, 900)));
    for (let i = 0; i < 40; i++) {
      emitMany(1);
      await vi.advanceTimersByTimeAsync(100);
      expect(codes()).toEqual([]);
    }
    state.broken = false;
    await Promise.all([audit.flush(), vi.advanceTimersByTimeAsync(1_000)]);
  });
});

describe('flush, while the store refuses', () => {
  it('tries at once, and resolves when everything is written', async () => {
    const { audit, emitMany, kept, state, askedMs } = open();
    emitMany(2);
    // In the middle of a long pause.
    await vi.advanceTimersByTimeAsync(12_000);
    const before = askedMs.length;
    const flushed = audit.flush();
    await vi.advanceTimersByTimeAsync(0);
    expect(askedMs.length).toBe(before + 1);
    state.broken = false;
    await vi.advanceTimersByTimeAsync(100);
    await flushed;
    expect(ids(kept)).toEqual([1, 2]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['refuses', () => Promise.reject(full)],
    ['hangs', () => new Promise<void>(() => {})],
  ])('gives up after 3 s where the store %s, and logs what is lost', async (_, refuse) => {
    verifies('audit.kept');
    const { audit, emitMany, log } = open(refuse);
    emitMany(5);
    let over = false;
    const flushed = audit.flush().then(() => {
      over = true;
    });
    emitMany(2);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await flushed;
    expect(log.mock.calls.at(-1)).toEqual([
      'error',
      'audit events are lost: the store did not take them in time',
      { events: 7 },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives up earlier where it has less time', async () => {
    const { audit, emitMany, log } = open();
    emitMany(1);
    const flushed = audit.flush(500);
    await vi.advanceTimersByTimeAsync(500);
    await flushed;
    expect(log.mock.calls.at(-1)?.[2]).toEqual({ events: 1 });
  });
});
