import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp, useKeys } from '../../app/app-context.ts';
import { leaveField } from '../../app/keep-focus.ts';
import { toFragment } from '../../app/place.ts';
import { usePolled } from '../../app/use-polled.ts';
import type { ApprovalRow } from '../../client/control.ts';
import { StatusBadge } from '../../design/badge.tsx';
import { Ago } from '../../design/time.tsx';
import { LongText, ValueView } from '../../design/value-view.tsx';
import { toConsequence } from './decide.ts';

interface QuestionProps {
  readonly row: ApprovalRow;
  /** Whether it can still be decided. */
  readonly open: boolean;
  decide(approve: boolean, note: string): void;
}

/** Nobody decides on what came up under their finger. */
const armedAfterMs = 1_000;

/** One call that waits: who asks, for what exactly, and what happens on a no. */
export function Question({ row, open, decide }: QuestionProps): VNode {
  const { tool, agent, caller, path, reason } = row;
  return (
    <section class="card question" aria-label={`${agent} asks for ${tool}`} tabIndex={-1} data-home>
      <div class="reading" tabIndex={0}>
        <div class="stack">
          <a class="back small" href={toFragment('approvals')}>
            ← All approvals
          </a>
          <h2>{tool}</h2>
          <ToolSummary name={tool} />
        </div>
        <div class="stack">
          <h3>Who asks</h3>
          <ol class="chain">
            {[caller, ...path].map((name, i) => (
              <li key={`${i} ${name}`}>
                <span class="link mono">{name}</span>
              </li>
            ))}
          </ol>
          {reason !== undefined && <p>{reason}</p>}
          <p class="small soft">
            Asked <Ago atMs={row.requested_at_ms} />
            {open && (
              <>
                , declined by itself <Ago atMs={row.expires_at_ms} />
              </>
            )}
            . <a href={toFragment('runs', [row.root_run_id])}>See the run so far</a>
          </p>
        </div>
        <div class="stack">
          <h3>With exactly these arguments</h3>
          <ValueView value={row.arguments} what="the arguments" />
        </div>
        {!open && (
          <div class="stack">
            <h3>What was decided</h3>
            <p class="row wrap">
              <StatusBadge status={row.status} />
              {row.decided_by !== null && `by ${row.decided_by}`}
              {row.decided_at_ms !== null && <Ago atMs={row.decided_at_ms} />}
            </p>
            {row.note !== undefined && <LongText text={row.note} />}
          </div>
        )}
        {open && (
          <div class="stack">
            <h3>If you decline</h3>
            <p>{toConsequence(row)}</p>
          </div>
        )}
      </div>
      {open && <Deciding tool={tool} decide={decide} />}
    </section>
  );
}

function Deciding({ tool, decide }: Pick<QuestionProps, 'decide'> & { readonly tool: string }): VNode {
  const [armed, setArmed] = useState(false);
  const note = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), armedAfterMs);
    return () => clearTimeout(timer);
  }, []);
  const press = (approve: boolean): void => {
    if (armed) decide(approve, note.current?.value ?? '');
  };
  useKeys([
    { keys: 'a', says: `approve ${tool}`, press: () => press(true) },
    { keys: 'r', says: `decline ${tool}`, press: () => press(false) },
    { keys: 'n', says: 'write a note', press: () => note.current?.focus() },
  ]);
  return (
    <form
      class="deciding"
      onSubmit={(event) => {
        event.preventDefault();
        // Enter leaves the note: a decision is never made by it.
        if (note.current) leaveField(note.current);
      }}
    >
      <div class="field">
        <label for="note">Note, kept with the decision</label>
        <input id="note" ref={note} class="input" maxLength={10_000} autocomplete="off" />
      </div>
      <div class="row">
        <button type="button" class="button danger" disabled={!armed} onClick={() => press(false)}>
          Decline <kbd>r</kbd>
        </button>
        <button type="button" class="button primary" disabled={!armed} onClick={() => press(true)}>
          Approve <kbd>a</kbd>
        </button>
      </div>
    </form>
  );
}

/** What the tool says of itself. */
function ToolSummary({ name }: { readonly name: string }): VNode | null {
  const { service } = useApp();
  const { value } = usePolled((signal) => service.control.tools.list({}, { signal }), {}, []);
  const tool = value?.tools.find((one) => one.name === name);
  return tool ? <p>{tool.description}</p> : null;
}
