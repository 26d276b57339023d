import { type ReadonlySignal, type Signal, signal } from '@preact/signals';

/** How it looks; `system` is what the machine is set to. */
export type Theme = 'system' | 'light' | 'dark';

const stored = 'waymark-console-theme';
const order: readonly Theme[] = ['system', 'light', 'dark'];

/** The theme that somebody chose, remembered in this browser: the one thing that is. */
export class ThemeChoice {
  readonly #theme: Signal<Theme>;

  constructor() {
    this.#theme = signal(read());
    this.#apply();
  }

  get theme(): ReadonlySignal<Theme> {
    return this.#theme;
  }

  next(): void {
    const { value } = this.#theme;
    this.#theme.value = order[(order.indexOf(value) + 1) % order.length] ?? 'system';
    this.#apply();
    try {
      localStorage.setItem(stored, this.#theme.value);
    } catch {
      // Without a store, as in some private windows, it is chosen again with the next page.
    }
  }

  #apply(): void {
    const { value } = this.#theme;
    if (value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = value;
  }
}

function read(): Theme {
  try {
    return order.find((theme) => theme === localStorage.getItem(stored)) ?? 'system';
  } catch {
    return 'system';
  }
}
