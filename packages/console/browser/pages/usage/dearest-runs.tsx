import type { VNode } from 'preact';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { Failure } from '../../design/failure.tsx';
import { Ago } from '../../design/time.tsx';
import { counted, toShortCount, toUsd } from '../../design/words.ts';

const everyMs = 15_000;
const mostShown = 10;

/** The runs that cost most, or used most where models have no price. */
export function DearestRuns({ sinceMs }: { readonly sinceMs: number | undefined }): VNode | null {
  const { service } = useApp();
  const { value, error } = usePolled(
    (signal) => service.control.runs.list({ sort: '-cost', since_ms: sinceMs, limit: mostShown }, { signal }),
    { everyMs, on: ['run'] },
    [sinceMs],
  );
  if (!value)
    return error === undefined ? null : <Failure title="The runs could not be read" error={error} />;
  if (value.runs.length === 0) return null;
  return (
    <section class="card stack" aria-label="Most expensive runs">
      <h2>Most expensive runs</h2>
      <ol class="dearest">
        {value.runs.map(
          ({
            run_id: id,
            name,
            caller,
            status,
            cost_usd: usd,
            tokens,
            step_count: steps,
            created_at_ms: atMs,
          }) => (
            <li key={id}>
              <a href={toFragment('runs', [id])} class="cut">
                {name}
              </a>
              <strong class="num">{toUsd(usd)}</strong>
              <span class="small soft cut">
                {caller} · {toShortCount(tokens)} tokens · {counted(steps, 'step')} · <Ago atMs={atMs} />
              </span>
              <span class="num">{status === 'completed' ? '' : <StatusBadge status={status} />}</span>
            </li>
          ),
        )}
      </ol>
    </section>
  );
}
