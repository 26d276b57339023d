import type { RehearsedRun } from '../../rehearse/rehearsal.ts';

/** What looks came to, added up; costs are millionths of a USD, null as soon as one is not known. */
export interface Tally {
  readonly frames: number;
  readonly runs: number;
  readonly skipped: number;
  readonly failed: number;
  readonly tokens: number;
  readonly costMicros: number | null;
  /** Of the runs that did not fail: what failed may have cost nothing. */
  readonly soundCostMicros: number | null;
}

export const emptyTally: Tally = {
  ...{ frames: 0, runs: 0, skipped: 0, failed: 0 },
  ...{ tokens: 0, costMicros: 0, soundCostMicros: 0 },
};

/** Adds one look. */
export function afterLook(before: Tally, run: RehearsedRun): Tally {
  const { frames, runs, skipped, failed, tokens, costMicros, soundCostMicros } = before;
  if (!run.ran) return { ...before, frames: frames + 1, skipped: skipped + 1 };
  const isFailed = run.status === 'failed';
  return {
    frames: frames + 1,
    runs: runs + 1,
    skipped,
    failed: failed + (isFailed ? 1 : 0),
    tokens: tokens + run.tokens,
    costMicros: sum(costMicros, run.costMicros),
    soundCostMicros: isFailed ? soundCostMicros : sum(soundCostMicros, run.costMicros),
  };
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** What a watcher declares that bounds what it costs. */
export interface Pace {
  readonly every: number;
  readonly maxRunsPerHour: number;
  readonly maxCostPerDay: number | null;
}

/** What a watcher would cost that always has something to judge, in USD. */
export interface Forecast {
  readonly perRun: number;
  /** Runs within an hour, at most. */
  readonly runsPerHour: number;
  readonly perHour: number;
  readonly perDay: number;
  /** Hours until `maxCostPerDay` is spent; null where a day is not enough for that, or there is no limit. */
  readonly hoursToLimit: number | null;
}

/** @returns undefined without a run that did not fail, or without a price */
export function toForecast(
  { runs, failed, soundCostMicros }: Tally,
  { every, maxRunsPerHour, maxCostPerDay }: Pace,
): Forecast | undefined {
  if (runs === failed || soundCostMicros === null) return undefined;
  const perRun = soundCostMicros / (runs - failed) / 1_000_000;
  const runsPerHour = Math.min(maxRunsPerHour, Math.max(1, Math.floor(3_600 / every)));
  const perHour = perRun * runsPerHour;
  const hours = maxCostPerDay === null ? Number.POSITIVE_INFINITY : maxCostPerDay / perHour;
  return { perRun, runsPerHour, perHour, perDay: perHour * 24, hoursToLimit: hours < 24 ? hours : null };
}
