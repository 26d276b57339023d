import type { VNode } from 'preact';

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly choices: readonly T[];
  readonly words: Readonly<Record<T, string>>;
  readonly value: T;
  onChoose(value: T): void;
}

/** One of a few, all of which are seen. */
export function Choice<T extends string>({ label, choices, words, value, onChoose }: ChoiceProps<T>): VNode {
  return (
    <div class="tabs" role="group" aria-label={label}>
      {choices.map((one) => (
        <button type="button" key={one} aria-pressed={one === value} onClick={() => onChoose(one)}>
          {words[one]}
        </button>
      ))}
    </div>
  );
}
