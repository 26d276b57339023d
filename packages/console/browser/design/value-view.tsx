import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { toJsonText } from './json-text.ts';
import { counted } from './words.ts';

interface ValueProps {
  readonly value: unknown;
  /** What it is, for buttons. */
  readonly what: string;
  /** Which of the two ways is shown first. */
  readonly first?: 'table' | 'json';
}

/** Characters that are shown at once: a browser lays out no megabyte in a blink. */
const mostShown = 20_000;

/** A value that others made: an object as a table of its members, everything also as JSON. All of it is text. */
export function ValueView({ value, what, first = 'table' }: ValueProps): VNode {
  const [way, setWay] = useState(first);
  const members = membersOf(value);
  const text = toJsonText(value);
  return (
    <div class="stack">
      <div class="row">
        {members && (
          <div class="tabs" role="group" aria-label={`Show ${what} as`}>
            <button type="button" aria-pressed={way === 'table'} onClick={() => setWay('table')}>
              Table
            </button>
            <button type="button" aria-pressed={way === 'json'} onClick={() => setWay('json')}>
              JSON
            </button>
          </div>
        )}
        <span class="grow" />
        <CopyButton text={text} what={what} />
      </div>
      {members && way === 'table' ? <Members members={members} /> : <LongText text={textOf(value) ?? text} />}
    </div>
  );
}

function Members({ members }: { readonly members: readonly (readonly [string, unknown])[] }): VNode {
  if (members.length === 0) return <p class="soft">No arguments.</p>;
  return (
    <dl class="pairs card">
      {members.map(([name, value]) => (
        <>
          <dt class="mono" key={name}>
            {name}
          </dt>
          <dd>
            <LongText text={textOf(value) ?? toJsonText(value)} plain />
          </dd>
        </>
      ))}
    </dl>
  );
}

/** A text that may be very long. */
export function LongText({
  text,
  plain = false,
}: {
  readonly text: string;
  readonly plain?: boolean;
}): VNode {
  const [all, setAll] = useState(false);
  const cut = !all && text.length > mostShown;
  return (
    <>
      <pre class={plain ? undefined : 'code'} tabIndex={plain ? undefined : 0}>
        {cut ? text.slice(0, mostShown) : text}
      </pre>
      {cut && (
        <button type="button" class="button plain slight" onClick={() => setAll(true)}>
          Show {counted(text.length - mostShown, 'more character')}
        </button>
      )}
    </>
  );
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
