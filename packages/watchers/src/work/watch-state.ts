/** Runs of a watcher that may wait at a time; at as many nothing new is judged (decision 8). */
export const maxParked = 3;

/** Failures in a row from which on a watcher pauses, each time twice as long. */
const patience = 5;

/** The longest pause after failures, milliseconds. */
export const longestPauseMs = 300_000;

/** Why a watcher may begin no run: too many within the hour, or too much spent within the day. */
export type Ceiling = 'runs' | 'cost';

/** How a watcher is, in a word (decision 9.5). */
export type WatchStatus = 'ok' | 'limited' | 'parked' | 'failing' | 'offline';

/** What a watcher knows of its own work between two ticks. Times are by `Host.monotonic`. */
export interface WatchState {
  /** A device is being asked, or a run about to begin. */
  readonly busy: boolean;
  /** Root runs that have not ended, by id, and whether they wait. */
  readonly runs: ReadonlyMap<string, 'running' | 'parked'>;
  /** Runs in a row that failed. */
  readonly failures: number;
  /** No run begins before; after failures. */
  readonly pausedUntilMs: number;
  /** The last look failed. */
  readonly blind: boolean;
  readonly limit: { readonly by: Ceiling; readonly untilMs: number } | undefined;
}

/** What happened to a watcher. */
export type WatchEvent =
  | { readonly type: 'looks' }
  /** Nothing came of a look: nothing has changed, or there is nothing yet. */
  | { readonly type: 'idle' }
  | { readonly type: 'blind' }
  | { readonly type: 'limited'; readonly by: Ceiling; readonly untilMs: number }
  /** A run is asked for. */
  | { readonly type: 'starts' }
  /** No run came of that. */
  | { readonly type: 'refused'; readonly atMs: number }
  /** The run that was asked for. */
  | { readonly type: 'begun'; readonly runId: string }
  /** One that waited, or was found, goes on. */
  | { readonly type: 'runs'; readonly runId: string }
  | { readonly type: 'parks'; readonly runId: string }
  | { readonly type: 'ends'; readonly runId: string; readonly failed: boolean; readonly atMs: number };

/** How a watcher begins. */
export const idleState: WatchState = {
  busy: false,
  runs: new Map(),
  failures: 0,
  pausedUntilMs: Number.NEGATIVE_INFINITY,
  blind: false,
  limit: undefined,
};

/** Says what a tick does: look, or why it is skipped. */
export function toTick(state: WatchState, nowMs: number): 'look' | 'busy' | 'parked' | 'paused' | 'limited' {
  if (state.busy || countRuns(state, 'running') > 0) return 'busy';
  if (countRuns(state, 'parked') >= maxParked) return 'parked';
  if (nowMs < state.pausedUntilMs) return 'paused';
  if (state.limit && nowMs < state.limit.untilMs) return 'limited';
  return 'look';
}

/** The state after an event. @param everyMs between two ticks */
export function afterEvent(state: WatchState, event: WatchEvent, everyMs: number): WatchState {
  switch (event.type) {
    case 'looks':
      return { ...state, busy: true };
    case 'idle':
      return { ...state, busy: false, blind: false };
    case 'blind':
      return { ...state, busy: false, blind: true };
    case 'limited':
      return { ...state, busy: false, blind: false, limit: event };
    case 'starts':
      return { ...state, busy: true, blind: false, limit: undefined };
    case 'refused':
      return afterFailure({ ...state, busy: false }, event.atMs, everyMs);
    case 'begun':
      return { ...withRun(state, event.runId, 'running'), busy: false };
    case 'runs':
      return withRun(state, event.runId, 'running');
    case 'parks':
      return withRun(state, event.runId, 'parked');
    case 'ends': {
      const runs = new Map([...state.runs].filter(([id]) => id !== event.runId));
      const ended = { ...state, runs };
      return event.failed
        ? afterFailure(ended, event.atMs, everyMs)
        : { ...ended, failures: 0, pausedUntilMs: idleState.pausedUntilMs };
    }
  }
}

/** What keeps it from judging comes first. */
export function statusOf(state: WatchState, device: 'online' | 'stale' | 'offline' | undefined): WatchStatus {
  if (countRuns(state, 'parked') >= maxParked) return 'parked';
  if (state.limit) return 'limited';
  if (state.blind || state.failures > 0) return 'failing';
  return device === 'offline' ? 'offline' : 'ok';
}

/** How many of its runs go on, or wait. */
export function countRuns({ runs }: WatchState, how: 'running' | 'parked'): number {
  let count = 0;
  for (const one of runs.values()) if (one === how) count += 1;
  return count;
}

function withRun(state: WatchState, runId: string, how: 'running' | 'parked'): WatchState {
  return { ...state, runs: new Map([...state.runs, [runId, how]]) };
}

function afterFailure(state: WatchState, atMs: number, everyMs: number): WatchState {
  const failures = state.failures + 1;
  if (failures < patience) return { ...state, failures };
  const pauseMs = Math.min(longestPauseMs, everyMs * 2 ** (failures - patience));
  return { ...state, failures, pausedUntilMs: atMs + pauseMs };
}
