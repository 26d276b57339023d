import { toVisible } from '@waymark/contract/text';
import { type Child, el, setChildren } from '../shell/dom.ts';

/** One of a list of choices. */
export interface SelectOption {
  readonly value: string;
  readonly text: string;
}

/** A control under its label. */
export function field(label: string, control: HTMLElement, ...beside: readonly Child[]): HTMLElement {
  return el('div', { class: 'field' }, el('label', { for: control.id }, label), control, ...beside);
}

/** A box to tick, before its label. */
export function check(
  label: string,
  onChange: () => void,
): { readonly element: HTMLElement; readonly input: HTMLInputElement } {
  const input = el('input', { type: 'checkbox', on: { change: onChange } });
  return { input, element: el('label', { class: 'check' }, input, label) };
}

/** Offers other choices, unless they are the same: a list that is open must not close under somebody's finger. */
export function fillSelect(select: HTMLSelectElement, options: readonly SelectOption[], value: string): void {
  const offered = options.map(({ value, text }) => ({ value, text: toVisible(text) }));
  const shown = [...select.options].map((option) => ({ value: option.value, text: option.text }));
  if (JSON.stringify(shown) !== JSON.stringify(offered))
    setChildren(select, ...options.map(({ value, text }) => el('option', { value }, text)));
  if (select.value !== value && options.some((option) => option.value === value)) select.value = value;
}
