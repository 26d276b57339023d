import { el, setShown, setText } from '../shell/dom.ts';
import type { Session } from './session.ts';

/** What is sent and what becomes of it, in numbers. They are no live region: nobody wants each of them read out. */
export class Figures {
  readonly element: HTMLElement;
  readonly #taken = el('p', { class: 'taken' });
  readonly #rows = new Map<string, HTMLElement>();
  readonly #reasons = el('ul', { class: 'reasons', 'aria-label': 'Why the hub refused frames' });

  constructor() {
    const rows = figures.map(([name]) => {
      const value = el('dd', {}, '–');
      this.#rows.set(name, value);
      return el('div', {}, el('dt', {}, name), value);
    });
    this.element = el(
      'div',
      { class: 'figures', hidden: true },
      this.#taken,
      el('dl', {}, ...rows),
      this.#reasons,
    );
  }

  show(session: Session): void {
    const { taken, refused } = session.tally;
    setShown(this.element, taken + refused > 0);
    setText(this.#taken, `The hub has taken ${counted(taken, 'frame')}.`);
    for (const [name, toText] of figures) {
      const row = this.#rows.get(name);
      if (row) setText(row, toText(session));
    }
    this.#showReasons(session);
  }

  #showReasons({ tally }: Session): void {
    const texts = tally.reasons.map(({ message, times }) => `${counted(times, 'time')}: ${message}`);
    setShown(this.#reasons, texts.length > 0);
    texts.forEach((text, i) => {
      setText(this.#reasons.children[i] ?? this.#reasons.appendChild(el('li')), text);
    });
  }
}

type Figure = readonly [name: string, toText: (session: Session) => string];

const figures: readonly Figure[] = [
  ['Frames a second', ({ throughput }) => throughput.framesPerSecond.toFixed(1)],
  ['KB a frame', ({ throughput }) => toKilobytes(throughput.bytesPerFrame)],
  ['KB a second', ({ throughput }) => toKilobytes(throughput.bytesPerSecond)],
  ['Sharpness', ({ pace }) => `${Math.round(pace.quality * 100)} %`],
  ['Round trip', ({ line }) => (line.roundTripMs === undefined ? '–' : `${Math.round(line.roundTripMs)} ms`)],
  ['Refused by the hub', ({ tally }) => String(tally.refused)],
  ['Left out, slow line', ({ dropped }) => String(dropped)],
  ['Left out, slow machine', ({ tally }) => String(tally.skippedForEncoder)],
];

function toKilobytes(bytes: number): string {
  const kilobytes = bytes / 1000;
  return kilobytes < 10 ? kilobytes.toFixed(1) : String(Math.round(kilobytes));
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
