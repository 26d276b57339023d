import { el } from './dom.ts';

/** The longest text that is shown of a document. */
const longest = 20_000;

/** A text of a document in paragraphs, with what stands between backticks as code. Nothing else in it means anything. */
export function prose(text: string, name = 'prose'): HTMLElement {
  const paragraphs = text.slice(0, longest).split(/\n\s*\n/);
  return el('div', { class: name }, ...paragraphs.map((one) => el('p', {}, ...inline(one.trim()))));
}

/** The same in one line. */
export function inline(text: string): readonly (Node | string)[] {
  return text.split(/`([^`\n]+)`/).map((part, i) => (i % 2 === 1 ? el('code', {}, part) : part));
}
