import type { LimitInForce } from '@waymark/contract/declaring';
import type { WatchSettings } from './declaration/watch-settings.ts';
import { maxOutputLength } from './run/to-insight.ts';
import { longestPauseMs, maxParked } from './work/watch-state.ts';

/** Limits of the watchers, for the security report: what each may use up, and those that all have. */
export function watcherLimits(settings: readonly WatchSettings[]): readonly LimitInForce[] {
  if (settings.length === 0) return [];
  const each = 'each watcher';
  return [
    ...settings.flatMap(ownLimits),
    {
      name: 'insight_output',
      value: maxOutputLength,
      unit: 'characters',
      note: 'longer answers are cut; the run has the whole',
    },
    { name: 'watcher_parked', value: maxParked, unit: 'runs', note: `${each}, that wait for somebody` },
    { name: 'watcher_pause', value: longestPauseMs, unit: 'ms', note: `${each}, after failures in a row` },
  ];
}

function ownLimits({ name, maxRunsPerHour, maxCostPerDay }: WatchSettings): readonly LimitInForce[] {
  const note = `watcher ${name}`;
  return [
    { name: 'watcher_runs', value: maxRunsPerHour, unit: 'runs/h', note },
    ...(maxCostPerDay === null
      ? []
      : [{ name: 'watcher_cost', value: maxCostPerDay, unit: 'USD/day', note }]),
  ];
}
