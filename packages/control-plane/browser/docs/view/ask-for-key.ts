import { el, setChildren } from './dom.ts';

/** What is said beside the field. */
export interface Asked {
  readonly title: string;
  readonly text: string;
  /** Whether a key was tried that did not fit. */
  readonly refused: boolean;
}

/** Asks for a key in `place`, and gives what was typed. */
export function askForKey(place: HTMLElement, { title, text, refused }: Asked): Promise<string> {
  const field = keyField('key');
  field.setAttribute('aria-describedby', 'key-said');
  if (refused) field.setAttribute('aria-invalid', 'true');
  const form = el(
    'form',
    { class: 'card sign-in', 'aria-labelledby': 'sign-in-title' },
    el('h1', { id: 'sign-in-title' }, title),
    el('p', { id: 'key-said', class: refused ? 'wrong' : 'soft' }, text),
    el('label', { for: 'key' }, 'Key'),
    field,
    el('button', { type: 'submit', class: 'main' }, 'Open the documentation'),
    el('p', { class: 'soft small-text' }, 'It is kept in this page alone, and gone when the page is closed.'),
  );
  setChildren(place, form);
  field.focus();
  return new Promise((resolve) => {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const key = field.value.trim();
      if (key === '') field.focus();
      else resolve(key);
    });
  });
}

/** A field for a key, which browsers shall not keep. */
export function keyField(id: string): HTMLInputElement {
  return el('input', {
    ...{ id, type: 'password', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' },
  });
}
