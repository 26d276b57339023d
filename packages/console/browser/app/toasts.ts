import { type ReadonlySignal, type Signal, signal } from '@preact/signals';

/** A word about what was done, which goes away by itself. */
export interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad' | 'plain';
  readonly text: string;
}

const shownMs = 6_000;
/** What went wrong is read, not glimpsed. */
const badShownMs = 15_000;
const mostShown = 4;

/** The toasts that are shown now, at most four. */
export class Toasts {
  readonly #shown: Signal<readonly Toast[]> = signal([]);
  #last = 0;

  get shown(): ReadonlySignal<readonly Toast[]> {
    return this.#shown;
  }

  say(text: string, tone: Toast['tone'] = 'plain'): void {
    const id = ++this.#last;
    this.#shown.value = [...this.#shown.value, { id, tone, text }].slice(-mostShown);
    setTimeout(() => this.close(id), tone === 'bad' ? badShownMs : shownMs);
  }

  close(id: number): void {
    this.#shown.value = this.#shown.value.filter((toast) => toast.id !== id);
  }
}
