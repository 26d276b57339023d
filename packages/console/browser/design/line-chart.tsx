import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';

/** One line or row of bars. */
export interface Series {
  readonly name: string;
  /** A custom property of the design: `--accent`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** What it shows, for those who cannot see it. */
  readonly label: string;
  /** Epoch seconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly height?: number;
  readonly bars?: boolean;
  /** Shows the span of the values; without it, from zero. */
  readonly near?: boolean;
}

const daySecs = 86_400;

/** Values over time. The library is loaded when the first chart is shown. */
export function LineChart(props: ChartProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const { label, times, series, height = 140 } = props;
  const data = [times, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const newest = useRef(data);
  newest.current = data;
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let stopped = false;
    const resized = new ResizeObserver(() => {
      chart.current?.setSize({ width: element.clientWidth, height });
    });
    void import('uplot').then(({ default: Plot }) => {
      if (stopped) return;
      chart.current = new Plot(toOptions(Plot, props, element), newest.current, element);
      resized.observe(element);
    });
    return () => {
      stopped = true;
      resized.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [series.map(({ name }) => name).join()]);
  useEffect(() => chart.current?.setData(newest.current), [data]);
  return <div class="chart" ref={place} role="img" aria-label={label} style={{ minHeight: `${height}px` }} />;
}

function toOptions(
  Plot: typeof uPlot,
  { times, series, format, height = 140, bars = false, near = false }: ChartProps,
  element: HTMLElement,
): uPlot.Options {
  const style = getComputedStyle(element);
  const color =
    (name: string): (() => string) =>
    () =>
      resolve(element, name);
  const axis: uPlot.Axis = {
    stroke: color('--soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${style.fontFamily}`,
  };
  const isDaily = barSecs(times) >= daySecs;
  const paths = bars ? Plot.paths.bars?.({ size: [0.7, 40] }) : undefined;
  return {
    width: element.clientWidth,
    height,
    // Days are those of UTC, wherever somebody looks.
    ...(isDaily && { tzDate: (atSecs: number) => Plot.tzDate(new Date(atSecs * 1_000), 'UTC') }),
    legend: { show: false },
    cursor: { show: false },
    axes: [
      {
        ...{ ...axis, size: 28, values: (_, ticks) => toTicks(ticks, isDaily) },
        ...(isDaily && { incrs: [1, 2, 7, 14, 30, 90].map((days) => days * daySecs) }),
      },
      { ...axis, size: 56, values: (_, splits) => splits.map(format) },
    ],
    scales: {
      ...(bars && { x: { range: toBarRange } }),
      y: { range: (_, least, most) => (near ? toSpan(least, most) : [0, Math.max(most * 1.1, 1e-6)]) },
    },
    series: [
      {},
      ...series.map(({ name, color: property }) => ({
        label: name,
        stroke: color(property),
        ...(bars ? { fill: color(property), width: 0 } : { width: 1.5 }),
        ...(paths && { paths }),
        points: { show: false },
      })),
    ],
  };
}

/** With room above and below; one value stands in the middle. */
function toSpan(least: number, most: number): uPlot.Range.MinMax {
  const room = most > least ? (most - least) * 0.15 : Math.max(Math.abs(most) * 0.05, 1e-6);
  return [least - room, most + room];
}

/** A canvas knows no `light-dark()`: the colour that a property has here, now. */
function resolve(element: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  element.appendChild(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The time of day, in the zone of whoever looks; or the day. */
function toTicks(ticks: readonly number[], isDaily: boolean): string[] {
  return ticks.map((atSecs) =>
    new Date(atSecs * 1_000).toLocaleString(
      'en-GB',
      isDaily ? { day: 'numeric', month: 'short', timeZone: 'UTC' } : { hour: '2-digit', minute: '2-digit' },
    ),
  );
}

/** From one bar to the next; one that stands alone at the beginning of a day is taken for that of the day. */
function barSecs([first = 0, second]: ArrayLike<number> & Iterable<number>): number {
  if (second !== undefined) return second - first;
  return first % daySecs === 0 ? daySecs : 3_600;
}

/** Half a bar more at each end, or its half would be cut off; nothing else, however few there are. */
function toBarRange({ data: [times = []] }: uPlot): uPlot.Range.MinMax {
  const half = barSecs(times) / 2;
  const first = times[0] ?? 0;
  return [first - half, (times[times.length - 1] ?? first) + half];
}
