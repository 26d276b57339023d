import { el } from './dom.ts';

/** The method of a call, told by colour and word. */
export function methodBadge(method: string): HTMLElement {
  return el('span', { class: 'method', 'data-method': method }, method === 'DELETE' ? 'DEL' : method);
}
