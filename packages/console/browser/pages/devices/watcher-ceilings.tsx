import type { VNode } from 'preact';
import type { ControlWatchersListOutputWatchersItem as WatcherRow } from '../../client/control.ts';
import { Meter } from '../../design/meter.tsx';
import { toUsd } from '../../design/words.ts';

/** How much of what a watcher may do it has done. */
export function WatcherCeilings({ watcher }: { readonly watcher: WatcherRow }): VNode {
  const {
    max_runs_per_hour: mostRuns,
    runs_last_hour: runs,
    max_cost_per_day: mostUsd,
    cost_usd_last_day: usd,
  } = watcher;
  return (
    <div class="stack ceilings">
      <Meter label="Runs in the last hour" value={runs} most={mostRuns} words={`${runs} of ${mostRuns}`} />
      {mostUsd !== null && (
        <Meter
          label="Cost of the last day"
          value={usd ?? 0}
          most={mostUsd}
          words={`${toUsd(usd)} of ${toUsd(mostUsd)}`}
        />
      )}
    </div>
  );
}
