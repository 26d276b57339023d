import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

interface DraftProps {
  readonly label: string;
  readonly value: string;
  write(text: string): void;
}

/** A short field whose words count when they are done: what is half written stays, whatever is drawn meanwhile. */
export function DraftField({ label, value, write }: DraftProps): VNode {
  const [draft, setDraft] = useState<string | undefined>(undefined);
  return (
    <input
      class="input slight short"
      aria-label={label}
      placeholder={label.toLowerCase()}
      value={draft ?? value}
      onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      onChange={({ currentTarget }) => {
        write(currentTarget.value.trim());
        setDraft(undefined);
      }}
      onBlur={() => setDraft(undefined)}
    />
  );
}
