import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { useApp, useKeys } from '../app/app-context.ts';
import { leaveField } from '../app/keep-focus.ts';

interface FilterProps {
  readonly value: string;
  /** What is filtered: `routes`. */
  readonly what: string;
}

/** A field whose words a list is filtered by; they stand in the address as `q`. */
export function FilterField({ value, what }: FilterProps): VNode {
  const { router } = useApp();
  const field = useRef<HTMLInputElement>(null);
  useKeys([{ keys: '/', says: `filter the ${what}`, press: () => field.current?.select() }]);
  return (
    <input
      ref={field}
      class="input slight filter"
      type="search"
      aria-label={`Filter the ${what}`}
      placeholder={`Filter the ${what}  /`}
      value={value}
      spellcheck={false}
      autocomplete="off"
      maxLength={200}
      onInput={({ currentTarget }) => router.filter({ q: currentTarget.value })}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') leaveField(currentTarget);
      }}
    />
  );
}
