import type { ControlOverviewOutputRuns, SpendCell } from '../../client/control.ts';

/** How many runs have each status, those with most first; none has a status that no run has. */
export function countByStatus(runs: ControlOverviewOutputRuns): readonly (readonly [string, number])[] {
  return Object.entries(runs)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
}

/** What was spent in each hour, the hours without anything included. */
export interface HourlySpend {
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly tokens: readonly number[];
}

const hourMs = 3_600_000;

/** The last hours up to now, oldest first. */
export function toHours(cells: readonly SpendCell[], nowMs: number, hours: number): HourlySpend {
  const tokens = new Map<number, number>();
  for (const { time, input_tokens: given, output_tokens: made } of cells) {
    const ms = Date.parse(time);
    tokens.set(ms, (tokens.get(ms) ?? 0) + given + made);
  }
  const last = Math.floor(nowMs / hourMs) * hourMs;
  const starts = Array.from({ length: hours }, (_, i) => last - (hours - 1 - i) * hourMs);
  return {
    times: starts.map((ms) => ms / 1_000),
    tokens: starts.map((ms) => tokens.get(ms) ?? 0),
  };
}
