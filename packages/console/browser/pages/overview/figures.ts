import type { ControlAuditOutputEventsItem, ControlUsageOutputByTime, RunRow } from '../../client/control.ts';

/** How calls went lately. */
export interface CallFigures {
  readonly calls: number;
  /** 5xx. */
  readonly failed: number;
  /** 4xx. */
  readonly refused: number;
  /** How far back that is. */
  readonly spanMs: number;
}

/** Counts the calls among the newest events. */
export function toCallFigures(events: readonly ControlAuditOutputEventsItem[], nowMs: number): CallFigures {
  const statuses = events
    .filter(({ kind }) => kind === 'tool_called')
    .map((event) => Number(event['status']));
  return {
    calls: statuses.length,
    failed: statuses.filter((status) => status >= 500).length,
    refused: statuses.filter((status) => status >= 400 && status < 500).length,
    spanMs: Math.max(0, nowMs - (events.at(-1)?.at_ms ?? nowMs)),
  };
}

/** How many runs have each status, those with most first. */
export function countByStatus(
  runs: readonly Pick<RunRow, 'status'>[],
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** What was spent in each hour, the hours without anything included. */
export interface HourlySpend {
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly tokens: readonly number[];
  readonly usd: readonly (number | null)[];
}

const hourMs = 3_600_000;

/** The last hours up to now, oldest first. */
export function toHours(byTime: ControlUsageOutputByTime, nowMs: number, hours: number): HourlySpend {
  const last = Math.floor(nowMs / hourMs) * hourMs;
  const starts = Array.from({ length: hours }, (_, i) => last - (hours - 1 - i) * hourMs);
  const rows = starts.map((ms) => byTime[new Date(ms).toISOString().replace('.000Z', 'Z')]);
  return {
    times: starts.map((ms) => ms / 1_000),
    tokens: rows.map((row) => (row ? row.input_tokens + row.output_tokens : 0)),
    usd: rows.map((row) => (row ? row.cost_usd : 0)),
  };
}
