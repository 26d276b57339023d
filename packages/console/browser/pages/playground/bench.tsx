import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { InputForm } from '../../form/input-form.tsx';
import { Composer } from './composer.tsx';
import type { Runnable } from './runnables.ts';
import { TurnView } from './turn-view.tsx';
import { toKey, useTurns } from './use-turns.ts';

/** One agent, behaviour or flow: what was asked of it, and the place to ask. */
export function Bench({ runnable }: { readonly runnable: Runnable }): VNode {
  const { kind, name, description, path, tools } = runnable;
  const { turns, busy, ask, clear } = useTurns(path);
  const [session, setSession] = useState(toKey);
  const scroller = useRef<HTMLDivElement>(null);
  const newest = turns.at(-1);
  const marks = `${turns.length} ${newest?.steps.length} ${newest?.text.length} ${newest?.state}`;
  useEffect(() => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, [marks]);
  return (
    <section class="card bench" aria-label={name}>
      <div class="talk" ref={scroller} tabIndex={0}>
        <div class="stack">
          <div class="row">
            <h2 class="grow">{name}</h2>
            {turns.length > 0 && (
              <button
                type="button"
                class="button plain slight"
                onClick={() => {
                  clear();
                  setSession(toKey());
                }}
              >
                {kind === 'agent' ? 'New conversation' : 'Clear'}
              </button>
            )}
          </div>
          {description !== '' && <p class="soft">{description}</p>}
          {tools.length > 0 && (
            <p class="small soft">
              May use <span class="mono">{tools.join(', ')}</span>
            </p>
          )}
        </div>
        <ol class="turns" aria-live="polite" aria-busy={busy}>
          {turns.map((turn) => (
            <li key={turn.key}>
              <TurnView turn={turn} words={kind === 'agent'} />
            </li>
          ))}
        </ol>
      </div>
      {kind === 'agent' ? (
        <Composer
          name={name}
          images={runnable.images}
          busy={busy}
          send={(text, pictures) => ask({ input: text, session_id: session, stream: true }, pictures)}
        />
      ) : (
        <InputForm schema={runnable.schema} busy={busy} send={(input) => ask(input)} />
      )}
    </section>
  );
}
