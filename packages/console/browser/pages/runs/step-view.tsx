import type { VNode } from 'preact';
import { toFragment } from '../../app/place.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { LongText, ValueView } from '../../design/value-view.tsx';
import { toCount, toDuration, toMoment, toUsd } from '../../design/words.ts';
import type { Step, TraceRow } from './trace.ts';

/** Members that stand elsewhere. */
const known = new Set([
  'seq',
  'kind',
  'run_id',
  'agent',
  'at_ms',
  'duration_ms',
  'arguments',
  'result',
  'error',
]);

/** What one step was given and gave. */
export function StepView({ row }: { readonly row: TraceRow }): VNode {
  const { title, fromMs, untilMs, step, run } = row;
  return (
    <section class="card stack step" aria-label={`Step ${title}`}>
      <h2>{title}</h2>
      <dl class="pairs">
        <dt>began</dt>
        <dd>{toMoment(fromMs)}</dd>
        <dt>took</dt>
        <dd>{toDuration(untilMs - fromMs)}</dd>
        {step && <StepFacts step={step} />}
        {run && (
          <>
            <dt>status</dt>
            <dd>
              <StatusBadge status={run.status} />
            </dd>
            <dt>path</dt>
            <dd>{run.path.join(' → ')}</dd>
            <dt>tokens</dt>
            <dd>
              {toCount(run.usage.input_tokens)} in, {toCount(run.usage.output_tokens)} out,{' '}
              {toCount(run.usage.cache_read_tokens)} from cache
            </dd>
            <dt>cost</dt>
            <dd>{toUsd(run.cost_usd)}</dd>
          </>
        )}
      </dl>
      {step && <StepValues step={step} />}
      {run && run.input !== null && (
        <>
          <h3>Input</h3>
          <ValueView value={run.input} what="the input" first="json" />
        </>
      )}
      {run && run.output !== null && (
        <>
          <h3>Output</h3>
          <ValueView value={run.output} what="the output" first="json" />
        </>
      )}
    </section>
  );
}

function StepFacts({ step }: { readonly step: Step }): VNode {
  const others = Object.entries(step).filter(([name]) => !known.has(name));
  return (
    <>
      <dt>by</dt>
      <dd>{step.agent}</dd>
      {others.map(([name, value]) => (
        <>
          <dt key={name}>{name.replaceAll('_', ' ')}</dt>
          <dd>
            {name === 'approval_id' && step.kind === 'approval_requested' ? (
              <a href={toFragment('approvals', [String(value)])}>Decide</a>
            ) : (
              toText(value)
            )}
          </dd>
        </>
      ))}
    </>
  );
}

function StepValues({ step }: { readonly step: Step }): VNode {
  const { arguments: given, result, error } = step;
  return (
    <>
      {given !== undefined && (
        <>
          <h3>Was given</h3>
          <ValueView value={given} what="the arguments" />
        </>
      )}
      {result !== undefined && (
        <>
          <h3>Gave</h3>
          <ValueView value={result} what="the result" first="json" />
        </>
      )}
      {typeof error === 'string' && (
        <>
          <h3>Failed</h3>
          <LongText text={error} />
        </>
      )}
    </>
  );
}

function toText(value: unknown): string {
  if (typeof value === 'number') return toCount(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
