import type { RunStep } from '@waymark/client-gen/runtime';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { toFragment } from '../../app/place.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { toSentence } from '../../design/failure.tsx';
import { toLine } from '../../design/json-text.ts';
import { ValueView } from '../../design/value-view.tsx';
import { toDuration } from '../../design/words.ts';
import { type OpenQuestion, outputOf, statusOf, type Turn } from './turn.ts';

/** What was asked, what was done about it, and what came of it. */
export function TurnView({ turn, words }: { readonly turn: Turn; readonly words: boolean }): VNode {
  const { input, pictures, steps, text, questions, state, result, problem, runId } = turn;
  const output = outputOf(turn);
  const status = statusOf(result);
  return (
    <article class="turn">
      <div class="said">
        {words ? (
          <p class="written">{String(input['input'])}</p>
        ) : (
          <ValueView value={input} what="the input" first="json" />
        )}
        {pictures.length > 0 && (
          <div class="row wrap">
            {pictures.map((picture) => (
              <PictureView key={picture.data} type={picture.media_type} data={picture.data} />
            ))}
          </div>
        )}
      </div>
      {steps.filter(isShown).map((step) => (
        <StepLine key={step.seq} step={step} />
      ))}
      {questions.map((question) => (
        <InlineQuestion key={question.approval_id} question={question} />
      ))}
      {text !== '' && <p class="written answer">{text}</p>}
      {state === 'running' && text === '' && (
        <p class="soft" role="status">
          working…
        </p>
      )}
      {state === 'ended' &&
        (typeof output === 'string' ? (
          <p class="written answer">{output}</p>
        ) : (
          <ValueView value={output} what="the output" first="json" />
        ))}
      {problem !== undefined && <p class="failure written">{problem}</p>}
      <p class="row small soft">
        {state === 'ended' && status !== 'completed' && <StatusBadge status={status} />}
        {runId !== undefined && <a href={toFragment('runs', [runId])}>See the run</a>}
        {runId !== undefined && (state === 'running' || state === 'waiting') && <StopButton id={runId} />}
      </p>
    </article>
  );
}

/** What people ask about: tools, and who took over. */
function isShown({ kind }: RunStep): boolean {
  return kind === 'tool_call' || kind === 'tool_refused' || kind === 'handoff' || kind === 'approval_decided';
}

function StepLine({ step }: { readonly step: RunStep }): VNode {
  const { kind, tool = '', arguments: given, result, error, duration_ms: tookMs } = step;
  if (kind === 'handoff') return <p class="soft">→ {String(step['to'])} takes over</p>;
  if (kind === 'approval_decided')
    return (
      <p class="soft">
        {tool}: {String(step['status'])}
      </p>
    );
  return (
    <details class="used">
      <summary>
        <span class="mark" data-kind={error === undefined ? 'tool' : 'failed'} aria-hidden="true" />
        <span class="mono">{tool}</span> <span class="soft">{toLine(given ?? {}, 60)}</span>{' '}
        <span class="small soft">{toDuration(tookMs)}</span>
      </summary>
      <div class="stack">
        <ValueView value={given} what="the arguments" />
        <ValueView
          value={error ?? result}
          what={error === undefined ? 'the result' : 'the error'}
          first="json"
        />
      </div>
    </details>
  );
}

function InlineQuestion({ question }: { readonly question: OpenQuestion }): VNode {
  const { service, toasts } = useApp();
  const [sent, setSent] = useState(false);
  const { approval_id: id, tool } = question;
  const decide = (approve: boolean): void => {
    if (sent) return;
    setSent(true);
    service.control.approvals.decide({ id, approve }).catch((error: unknown) => {
      setSent(false);
      toasts.say(`${tool}: ${toSentence(error)}`, 'bad');
    });
  };
  return (
    <div class="card stack asks">
      <p>
        Wants to call <strong class="mono">{tool}</strong>, which needs approval, with exactly this:
      </p>
      <ValueView value={question.arguments} what="the arguments" />
      <div class="row">
        <button type="button" class="button danger slight" aria-disabled={sent} onClick={() => decide(false)}>
          Decline
        </button>
        <button type="button" class="button primary slight" aria-disabled={sent} onClick={() => decide(true)}>
          Approve
        </button>
      </div>
    </div>
  );
}

function StopButton({ id }: { readonly id: string }): VNode {
  const { service, toasts } = useApp();
  const stop = (): void => {
    service.control.runs
      .cancel({ id })
      .catch((error: unknown) => toasts.say(`It was not cancelled: ${toSentence(error)}`, 'bad'));
  };
  return (
    <button type="button" class="button plain slight" onClick={stop}>
      Cancel
    </button>
  );
}

/** A picture that was pasted here; its address is one of this page alone. */
function PictureView({ type, data }: { readonly type: string; readonly data: string }): VNode {
  const [address] = useState(() => {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return URL.createObjectURL(new Blob([bytes], { type }));
  });
  return (
    <img class="pasted" src={address} alt="What was sent along" onLoad={() => URL.revokeObjectURL(address)} />
  );
}
