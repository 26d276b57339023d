import { el, setChildren } from './dom.ts';
import type { Sentence } from './trouble.ts';

/** What the form says. */
export interface SignInTexts extends Sentence {
  readonly device: string;
  /** Whether a key was tried that did not fit. */
  readonly refused: boolean;
}

/** Asks for a key in `place`, and gives what was typed. */
export async function askForKey(
  place: HTMLElement,
  { title, text, device, refused }: SignInTexts,
): Promise<string> {
  const said = el('p', { id: 'key-said', class: refused ? 'said refused' : 'said' }, text);
  const field = el('input', {
    ...{ id: 'key', name: 'key', type: 'password', required: true },
    ...{ autocomplete: 'current-password', autocapitalize: 'off', spellcheck: 'false' },
    'aria-describedby': 'key-said',
    ...(refused && { 'aria-invalid': 'true' }),
  });
  const form = el(
    'form',
    { class: 'card sign-in', 'aria-labelledby': 'sign-in-title' },
    el('h2', { id: 'sign-in-title' }, title),
    said,
    // A manager of passwords files the key under this name.
    el('input', { type: 'text', name: 'username', autocomplete: 'username', value: device, hidden: true }),
    el('label', { for: 'key' }, 'Key'),
    field,
    el('button', { type: 'submit', class: 'main' }, 'Continue'),
  );
  setChildren(place, form);
  field.focus();
  return new Promise((resolve) => {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const key = field.value.trim();
      if (key !== '') resolve(key);
      else field.focus();
    });
  });
}
