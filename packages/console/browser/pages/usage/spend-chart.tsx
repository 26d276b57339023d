import type { VNode } from 'preact';
import { LineChart } from '../../design/line-chart.tsx';
import { counted, toShortCount, toUsd } from '../../design/words.ts';
import type { Measure, Stack } from './spend.ts';

interface ChartProps {
  readonly stack: Stack;
  readonly measure: Measure;
  readonly by: 'model' | 'caller';
}

/** What was spent over time, as bars that stand on each other; which colour is whose stands below them. */
export function SpendChart({ stack, measure, by }: ChartProps): VNode {
  const { times, parts } = stack;
  const format = measure === 'cost' ? toUsd : toShortCount;
  const what = measure === 'cost' ? 'Cost' : 'Tokens';
  return (
    <figure class="card stack" aria-label={`${what} by ${by} over time`}>
      <LineChart
        key={`${measure} ${by} ${parts.map(({ name }) => name).join(' ')}`}
        bars
        label={`${what} over ${counted(times.length, 'span')} of time; the table has the numbers`}
        times={times}
        // The whole is drawn first, and the parts below it over it.
        series={parts
          .map(({ name, tops }, i) => ({ name, color: `--series-${i + 1}`, values: tops }))
          .reverse()}
        format={format}
        height={200}
      />
      <figcaption class="legend small">
        {parts.map(({ name, total }, i) => (
          <span key={name}>
            <i style={{ background: `var(--series-${i + 1})` }} />
            {name} <span class="soft">{format(total)}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
