import type { VNode } from 'preact';
import { toDuration, toShortCount, toUsd } from '../../design/words.ts';
import { createTimeScale, type TimeScale } from './time-scale.ts';
import { busyOf, type TraceRow } from './trace.ts';

interface TraceProps {
  readonly rows: readonly TraceRow[];
  /** Index of the line whose step is shown beside. */
  readonly chosen: number;
  choose(row: TraceRow): void;
}

/** Lines that are laid out at once; a run of thousands of steps says how many more it has. */
const mostRows = 2_000;

/** A run as lines on an axis of time: what was done when, for how long, and what it took. */
export function TraceView({ rows, chosen, choose }: TraceProps): VNode {
  const first = rows[0];
  const whole = {
    fromMs: Math.min(...rows.slice(0, mostRows).map(({ fromMs }) => fromMs)),
    untilMs: rows
      .slice(0, mostRows)
      .reduce((latest, { untilMs }) => Math.max(latest, untilMs), first?.untilMs ?? 0),
  };
  const scale = createTimeScale(whole, busyOf(rows));
  return (
    <section class="trace card" aria-label="What was done when">
      <div class="trace-head small soft" aria-hidden="true">
        <span />
        <span class="axis">
          <span>0</span>
          <span>{toDuration(whole.untilMs - whole.fromMs)}</span>
        </span>
        <span class="num">took</span>
        <span class="num extra">tokens</span>
        <span class="num extra">cost</span>
      </div>
      <ol>
        {rows.slice(0, mostRows).map((row, i) => (
          <li key={row.key}>
            <TraceLine row={row} scale={scale} current={i === chosen} choose={choose} />
          </li>
        ))}
      </ol>
      {rows.length > mostRows && <p class="soft">{rows.length - mostRows} more steps are not drawn.</p>}
    </section>
  );
}

function TraceLine({
  row,
  scale,
  current,
  choose,
}: {
  readonly row: TraceRow;
  readonly scale: TimeScale;
  readonly current: boolean;
  choose(row: TraceRow): void;
}): VNode {
  const { depth, kind, title, fromMs, untilMs, open, failed } = row;
  const left = scale.at(fromMs);
  const width = scale.at(untilMs) - left;
  return (
    <button type="button" class="trace-line" aria-pressed={current} onClick={() => choose(row)}>
      <span class="cut" style={{ paddingLeft: `${depth * 0.9}rem` }} title={title}>
        <span class="mark" data-kind={failed ? 'failed' : kind} aria-hidden="true" />
        {kind === 'run' ? <strong>{title}</strong> : title}
        {failed && <span class="unseen"> failed</span>}
      </span>
      <span class="axis" aria-hidden="true">
        {scale.folded.map((gap) => (
          <span
            class="fold"
            key={gap.fromMs}
            title={`nothing for ${toDuration(gap.untilMs - gap.fromMs)}`}
            style={toPlace(scale.at(gap.fromMs), scale.at(gap.untilMs) - scale.at(gap.fromMs))}
          />
        ))}
        <span
          class="bar"
          data-kind={failed ? 'failed' : kind}
          data-open={open}
          style={toPlace(left, width)}
        />
      </span>
      <span class="num">{toDuration(untilMs - fromMs)}</span>
      <span class="num extra soft">{toTokens(row)}</span>
      <span class="num extra soft">{toCost(row)}</span>
    </button>
  );
}

function toPlace(left: number, width: number): { readonly left: string; readonly width: string } {
  return { left: `${left * 100}%`, width: `max(3px, ${width * 100}%)` };
}

function toTokens({ run, step }: TraceRow): string {
  if (run) return toShortCount(run.tokens);
  const [given, made] = [step?.['input_tokens'], step?.['output_tokens']];
  return typeof given === 'number' && typeof made === 'number' ? toShortCount(given + made) : '';
}

function toCost({ run }: TraceRow): string {
  return run ? toUsd(run.cost_usd) : '';
}
