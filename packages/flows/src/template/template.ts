import { nearest } from '@waymark/contract/declaring';

/** A text of a mapping, read: a place in one of the two values that a step knows, or a text. */
export type Template =
  | { readonly kind: 'place'; readonly of: 'incoming' | 'input'; readonly path: readonly string[] }
  | { readonly kind: 'text'; readonly text: string };

/** Reads a text of a mapping. @returns undefined for what begins as a template and is none */
export function parseTemplate(text: string): Template | undefined {
  if (!text.startsWith('$')) return { kind: 'text', text };
  if (text.startsWith('$$')) return { kind: 'text', text: text.slice(1) };
  const [whole, input, path = ''] = placePattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return {
    kind: 'place',
    of: input === undefined ? 'incoming' : 'input',
    path: path === '' ? [] : path.slice(1).split('.'),
  };
}

/** Names of members and numbers of items. A name that holds a point, a bracket or a space cannot be reached. */
const placePattern = /^\$(input)?((?:\.[^\s.[\]]+)*)$/;

/** What somebody meant who wrote a template as other languages have it; undefined where nothing is close. */
export function meantTemplate(text: string): string | undefined {
  const unbraced = text.replace(/^\$\{(.+)\}$/, (_, inside: string) => `$${inside}`);
  const dotted = unbraced.replace(/\[["']?([^\]"']*)["']?\]/g, (_, name: string) => `.${name}`);
  const [head = '', ...path] = dotted.slice(1).split('.');
  const meant = [...headOf(head), ...path.filter((name) => name !== '')].join('.');
  return /^\$(?:input)?(?:\.[\w-]+)*$/.test(meant) && !/^\d/.test(head) ? meant : undefined;
}

function headOf(head: string): readonly string[] {
  if (head === '') return ['$'];
  return nearest(head, ['input']) === undefined ? ['$', head] : ['$input'];
}
