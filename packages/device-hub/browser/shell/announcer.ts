import { el, setText } from './dom.ts';

/** Between two announcements, so that a person who listens to the page is not talked over. */
const betweenMs = 2_000;

/** Reads out what changed, politely: the newest text wins, and none is said twice in a row. */
export class Announcer {
  readonly element: HTMLElement = el('p', { class: 'unseen', 'aria-live': 'polite', role: 'status' });
  #next: string | undefined;
  #said = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(text: string): void {
    this.#next = text;
    if (this.#timer === undefined) this.#speak();
  }

  #speak(): void {
    this.#timer = undefined;
    const text = this.#next;
    this.#next = undefined;
    if (text === undefined || text === this.#said) return;
    this.#said = text;
    setText(this.element, text);
    this.#timer = setTimeout(() => this.#speak(), betweenMs);
  }
}
