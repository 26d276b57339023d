import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import {
  afterEvent,
  idleState,
  maxParked,
  statusOf,
  toTick,
  type WatchEvent,
  type WatchState,
} from '../../src/work/watch-state.ts';

const everyMs = 10_000;
const after = (events: readonly WatchEvent[], from: WatchState = idleState): WatchState =>
  events.reduce((state, event) => afterEvent(state, event, everyMs), from);
const failed = (runId: string, atMs = 0): readonly WatchEvent[] => [
  { type: 'looks' },
  { type: 'starts' },
  { type: 'begun', runId },
  { type: 'ends', runId, failed: true, atMs },
];

describe('a tick', () => {
  it('looks, unless a look, the start of a run or a run is under way', () => {
    expect(toTick(idleState, 0)).toBe('look');
    expect(toTick(after([{ type: 'looks' }]), 0)).toBe('busy');
    expect(toTick(after([{ type: 'looks' }, { type: 'idle' }]), 0)).toBe('look');
    expect(toTick(after([{ type: 'looks' }, { type: 'starts' }]), 0)).toBe('busy');
    const runs = after([{ type: 'looks' }, { type: 'starts' }, { type: 'begun', runId: 'a' }]);
    expect(toTick(runs, 0)).toBe('busy');
    expect(toTick(after([{ type: 'ends', runId: 'a', failed: false, atMs: 0 }], runs), 0)).toBe('look');
  });

  it('keeps a look under way apart from runs that wait or go on meanwhile', () => {
    const looking = after([{ type: 'parks', runId: 'a' }, { type: 'looks' }]);
    const later: readonly WatchEvent[] = [
      { type: 'runs', runId: 'a' },
      { type: 'ends', runId: 'a', failed: false, atMs: 0 },
    ];
    expect(toTick(after(later, looking), 0)).toBe('busy');
    expect(toTick(after([...later, { type: 'idle' }], looking), 0)).toBe('look');
  });

  it('goes on beside runs that wait, up to three of them', () => {
    const parked = (count: number): WatchState =>
      after(Array.from({ length: count }, (_, i) => ({ type: 'parks', runId: String(i) })));
    expect(toTick(parked(maxParked - 1), 0)).toBe('look');
    expect(toTick(parked(maxParked), 0)).toBe('parked');
    expect(statusOf(parked(maxParked), 'online')).toBe('parked');
    expect(statusOf(parked(maxParked - 1), 'online')).toBe('ok');
    expect(toTick(after([{ type: 'runs', runId: '0' }], parked(maxParked)), 0)).toBe('busy');
    expect(toTick(after([{ type: 'ends', runId: '0', failed: false, atMs: 0 }], parked(maxParked)), 0)).toBe(
      'look',
    );
  });

  it('pauses after five failures in a row, twice as long each time, for five minutes at most', () => {
    verifies('watcher.back-off');
    const pauses: number[] = [];
    let state = idleState;
    for (let i = 0; i < 14; i++) {
      state = after(failed(String(i), 1_000), state);
      pauses.push(Math.max(0, state.pausedUntilMs - 1_000));
    }
    expect(pauses).toEqual([
      ...[0, 0, 0, 0],
      ...[10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000, 300_000, 300_000],
    ]);
    expect(toTick(state, 300_999)).toBe('paused');
    expect(toTick(state, 301_000)).toBe('look');
    expect(statusOf(state, 'online')).toBe('failing');
    const well = after(
      [
        { type: 'runs', runId: 'x' },
        { type: 'ends', runId: 'x', failed: false, atMs: 0 },
      ],
      state,
    );
    expect([toTick(well, 0), statusOf(well, 'online'), well.failures]).toEqual(['look', 'ok', 0]);
  });

  it('pauses after starts that were refused, too', () => {
    const refused: WatchEvent = { type: 'refused', atMs: 0 };
    const state = after(Array.from({ length: 5 }, () => [{ type: 'starts' } as const, refused]).flat());
    expect(toTick(state, 9_999)).toBe('paused');
    expect(toTick(state, 10_000)).toBe('look');
  });

  it('waits at a ceiling until it may ask again, and says so until a run begins', () => {
    const limited = after([{ type: 'looks' }, { type: 'limited', by: 'runs', untilMs: 500 }]);
    expect([toTick(limited, 499), toTick(limited, 500)]).toEqual(['limited', 'look']);
    expect(statusOf(limited, 'online')).toBe('limited');
    expect(statusOf(after([{ type: 'looks' }, { type: 'idle' }], limited), 'online')).toBe('limited');
    expect(statusOf(after([{ type: 'looks' }, { type: 'starts' }], limited), 'online')).toBe('ok');
  });

  it('says what it could not look at, and what has gone silent', () => {
    const blind = after([{ type: 'looks' }, { type: 'blind' }]);
    expect([toTick(blind, 0), statusOf(blind, 'offline')]).toEqual(['look', 'failing']);
    const seeing = after([{ type: 'looks' }, { type: 'idle' }], blind);
    expect([statusOf(seeing, 'offline'), statusOf(seeing, 'stale'), statusOf(seeing, undefined)]).toEqual([
      'offline',
      'ok',
      'ok',
    ]);
  });
});
