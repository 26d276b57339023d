/** A key that does something while whoever gave it is shown. */
export interface KeyAction {
  /** As `KeyboardEvent.key` has it; two keys one after the other with a space between: `g a`. */
  readonly keys: string;
  readonly says: string;
  press(): void;
}

/** How long the second of two keys may take. */
const pairMs = 1_200;

/** Knows what each key does now. Nothing is heard while somebody types or a dialog is open. */
export class KeyBook {
  readonly #sets: { readonly actions: () => readonly KeyAction[] }[] = [];
  #first: { readonly key: string; readonly atMs: number } | undefined;

  constructor() {
    addEventListener('keydown', (event) => this.#hear(event));
  }

  /** Everything that can be pressed, what was added last first. */
  list(): readonly KeyAction[] {
    return [...this.#sets].reverse().flatMap(({ actions }) => actions());
  }

  /** @returns takes them away again */
  add(actions: () => readonly KeyAction[]): () => void {
    const set = { actions };
    this.#sets.push(set);
    return () => void this.#sets.splice(this.#sets.indexOf(set), 1);
  }

  #hear(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    const pair =
      this.#first && event.timeStamp - this.#first.atMs < pairMs ? `${this.#first.key} ${event.key}` : '';
    const actions = this.list();
    const found = actions.find(({ keys }) => keys === pair) ?? actions.find(({ keys }) => keys === event.key);
    this.#first = { key: event.key, atMs: event.timeStamp };
    if (!found || (event.key === 'Enter' && isPressed(event.target))) return;
    this.#first = undefined;
    event.preventDefault();
    found.press();
  }
}

/** Enter presses what has the focus, where that can be pressed. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button, summary') !== null;
}

/** In a field that takes what is typed; a choice of files or a box to tick takes none. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(?:file|checkbox|radio|button)$/.test(target.type);
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
