import type { VNode } from 'preact';

interface MeterProps {
  readonly label: string;
  readonly value: number;
  /** What it may be at most. */
  readonly most: number;
  /** Both of them, for people. */
  readonly words: string;
}

/** From here on it is worth a look. */
const near = 0.8;

/** How much of a ceiling is used. */
export function Meter({ label, value, most, words }: MeterProps): VNode {
  const part = most <= 0 ? 1 : Math.min(1, value / most);
  const tone = part >= 1 ? 'bad' : part >= near ? 'warn' : 'good';
  return (
    <div class="meter">
      <div class="row small">
        <span class="grow soft">{label}</span>
        <span>{words}</span>
      </div>
      <div
        class="track"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={Math.min(value, most)}
        aria-valuetext={words}
      >
        <div class="fill" data-tone={tone} style={{ width: `${part * 100}%` }} />
      </div>
    </div>
  );
}
