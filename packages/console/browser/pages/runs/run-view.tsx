import { ProblemError } from '@waymark/client-gen/runtime';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { type Polled, usePolled } from '../../app/use-polled.ts';
import type { RunDetail } from '../../client/control.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Failure, toSentence } from '../../design/failure.tsx';
import { toShellWord } from '../../design/json-text.ts';
import { Ago, Lasting } from '../../design/time.tsx';
import { ValueView } from '../../design/value-view.tsx';
import { counted, toCount, toUsd } from '../../design/words.ts';
import { StepView } from './step-view.tsx';
import { type TraceRow, toTrace } from './trace.ts';
import { TraceView } from './trace-view.tsx';
import { useSteps } from './use-steps.ts';

/** It is read when a step of it is told; this often for what nobody tells: no feed, or a process that died. */
const everyMs = 5_000;
const withoutFeedMs = 1_000;

/** One run with everything below it: what was done when, and what each step saw. */
export function RunView({ id, step }: { readonly id: string; readonly step: string | undefined }): VNode {
  const { service, router, now } = useApp();
  const [over, setOver] = useState(false);
  const told = useSteps(id, over, () => polled.refresh());
  const polled: Polled<RunDetail> = usePolled(
    (signal) => service.control.runs.get({ id }, { signal }),
    { everyMs: over ? 0 : told ? everyMs : withoutFeedMs },
    [id],
  );
  const run = polled.value;
  if (run && over !== (run.ended_at_ms !== null)) setOver(run.ended_at_ms !== null);
  const rows = run ? toTrace(run, over ? 0 : now.value) : [];
  const at = rows.findIndex(({ key }) => key === step);
  const choose = (row: TraceRow | undefined): void => {
    if (row) router.filter({ step: row.key });
  };
  useKeys([
    { keys: 'j', says: 'next step', press: () => choose(rows[at + 1]) },
    { keys: 'k', says: 'step before', press: () => choose(rows[at - 1]) },
    { keys: 'u', says: 'back to all runs', press: () => router.go(toFragment('runs')) },
  ]);
  if (!run)
    return (
      <div class="page" aria-busy={polled.error === undefined}>
        <h1>Run</h1>
        {polled.error !== undefined && <Failure title="This run could not be read" error={polled.error} />}
      </div>
    );
  return (
    <div class="page">
      <RunHead run={run} refresh={polled.refresh} />
      <div class="trace-and-step">
        <TraceView rows={rows} chosen={at} choose={choose} />
        {rows[at] && <StepView row={rows[at]} />}
      </div>
      {run.input !== null && (
        <section class="stack" aria-label="Input">
          <h2>Input</h2>
          <ValueView value={run.input} what="the input" />
        </section>
      )}
      {run.ended_at_ms !== null && run.error === null && (
        <section class="stack" aria-label="Output">
          <h2>Output</h2>
          <ValueView value={run.output} what="the output" />
        </section>
      )}
    </div>
  );
}

function RunHead({ run, refresh }: { readonly run: RunDetail; refresh(): void }): VNode {
  const { service } = useApp();
  const { run_id: id, kind, name, status, caller, via, error } = run;
  const curl = `curl -H "x-api-key: $OPERATOR_KEY" ${toShellWord(`${service.address.control}/runs/${id}`)}`;
  return (
    <>
      <header>
        <a href={toFragment('runs')}>Runs</a>
        <h1>{name}</h1>
        <StatusBadge status={status} />
        <div class="more">
          <CopyButton text={id} what="the id" label="Copy id" />
          <CopyButton text={curl} what="a curl command that reads this run" label="Copy as curl" />
          {run.ended_at_ms === null && <CancelButton id={id} name={name} refresh={refresh} />}
          <a
            class="button plain slight"
            href={toFragment('playground', [kind, name])}
            title={`Try ${name} in the playground`}
          >
            Try it
          </a>
          {status === 'failed' && <RetryButton id={id} name={name} refresh={refresh} />}
        </div>
      </header>
      <p class="soft">
        {kind} called by {caller}
        {via !== null && ` through ${via}`} <Ago atMs={run.created_at_ms} />,{' '}
        {run.ended_at_ms === null ? 'going for' : 'took'}{' '}
        <Lasting fromMs={run.created_at_ms} untilMs={run.ended_at_ms} /> · {counted(run.step_count, 'step')} ·{' '}
        {toCount(run.tokens)} tokens · {toUsd(run.cost_usd)} · <span class="mono small">{id}</span>
      </p>
      {status === 'awaiting_approval' && (
        <p class="note">
          Somebody has to decide before it goes on.{' '}
          <a href={toFragment('approvals', approvalOf(run))}>Decide</a>
        </p>
      )}
      {error && (
        <Failure
          title="The run failed"
          error={new Error(`${error.message} (${error.code}, ${error.status})`)}
        />
      )}
    </>
  );
}

function CancelButton({ id, name, refresh }: ActionProps): VNode {
  const { service, toasts } = useApp();
  const [asks, setAsks] = useState(false);
  useKeys([{ keys: 'c', says: 'cancel the run', press: () => setAsks(true) }]);
  const cancel = (): void => {
    setAsks(false);
    service.control.runs.cancel({ id }).then(
      () => {
        toasts.say(`Cancelled ${name}.`);
        refresh();
      },
      (error: unknown) => toasts.say(`${name} was not cancelled: ${toSentence(error)}`, 'bad'),
    );
  };
  return (
    <>
      <button type="button" class="button danger slight" onClick={() => setAsks(true)}>
        Cancel <kbd>c</kbd>
      </button>
      {asks && (
        <Dialog title={`Cancel ${name}?`} onClose={() => setAsks(false)}>
          <p>It ends now, with all that it started. What it has done already stays done.</p>
          <button type="button" class="button danger" onClick={cancel}>
            Cancel the run
          </button>
        </Dialog>
      )}
    </>
  );
}

interface ActionProps {
  readonly id: string;
  readonly name: string;
  refresh(): void;
}

function RetryButton({ id, name, refresh }: ActionProps): VNode {
  const { service, toasts } = useApp();
  const retry = (): void => {
    toasts.say(`${name} is tried again, from its journal.`);
    service.control.runs.retry({ id }).then(refresh, (error: unknown) => {
      // That it failed once more stands on the page.
      if (!(error instanceof ProblemError) || error.run === undefined)
        toasts.say(`${name} was not tried again: ${toSentence(error)}`, 'bad');
      refresh();
    });
    setTimeout(refresh, 300);
  };
  return (
    <button type="button" class="button slight" onClick={retry}>
      Try again
    </button>
  );
}

/** The place of the first question that is open, anywhere below. */
function approvalOf(run: RunDetail): readonly string[] {
  const open = toTrace(run, 0).find(({ kind, open: isOpen }) => kind === 'wait' && isOpen);
  const id = open?.step?.['approval_id'];
  return typeof id === 'string' ? [id] : [];
}
