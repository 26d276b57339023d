import { prettyJson } from '../call/pretty-json.ts';
import { fromJson } from '../model/json.ts';
import { el, setText } from './dom.ts';

/** From here on colours cost more than they help. */
const mostColoured = 100_000;
/** The most that is shown of a text. */
const longest = 500_000;

/** A text as it is, to be scrolled by keyboard, too. */
export function codeBlock(text: string, label: string): HTMLElement {
  const shown = text.length > longest ? `${text.slice(0, longest)}\n… (${text.length - longest} more)` : text;
  return scrolled(label, shown);
}

/** JSON with its parts in colours; anything else as it is. */
export function jsonBlock(text: string, label: string): HTMLElement {
  if (text.length > mostColoured || fromJson(text) === undefined) return codeBlock(text, label);
  const parts = prettyJson(text).map(({ kind, text: piece }) =>
    kind === 'mark' ? piece : el('span', { class: `json-${kind}` }, piece),
  );
  return scrolled(label, ...parts);
}

function scrolled(label: string, ...inside: readonly (Node | string)[]): HTMLElement {
  return el('pre', { tabindex: 0, role: 'group', 'aria-label': label }, el('code', {}, ...inside));
}

/** A button that copies what `read` gives. */
export function copyButton(read: () => string): HTMLButtonElement {
  const button = el('button', { type: 'button', class: 'small' }, 'Copy');
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(read()).then(
      () => say('Copied'),
      () => say('Not allowed here'),
    );
  });
  const say = (text: string): void => {
    setText(button, text);
    setTimeout(() => {
      setText(button, 'Copy');
    }, 1_500);
  };
  return button;
}
