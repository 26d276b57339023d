import type { Field } from '../call/fields.ts';
import type { References } from '../model/references.ts';
import { el, setText } from './dom.ts';
import { inline } from './prose.ts';
import { typeLine } from './schema-view.ts';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** One value of a form, with its name, what it may be and what is wrong with it. */
export class FieldView {
  readonly element: HTMLElement;
  readonly #control: Control;
  readonly #said: HTMLElement;

  /** @param id one that nothing else in the page has */
  constructor(field: Field, references: References, id: string) {
    const { name, required, description, schema, initial } = field;
    this.#control = toControl(field, id);
    this.#control.value = initial;
    this.#said = el('p', { class: 'wrong', id: `${id}-said`, hidden: true });
    this.#control.setAttribute('aria-describedby', `${id}-about ${id}-said`);
    if (required) this.#control.setAttribute('aria-required', 'true');
    this.element = el(
      'div',
      { class: 'field' },
      el(
        'label',
        { for: id },
        el('code', { class: 'name' }, name),
        required && el('span', { class: 'required' }, 'required'),
      ),
      this.#control,
      this.#said,
      el(
        'p',
        { class: 'hint', id: `${id}-about` },
        typeLine(schema, references),
        description !== '' && el('span', { class: 'about' }, ...inline(description)),
      ),
    );
  }

  get text(): string {
    return this.#control.value;
  }

  set text(text: string) {
    this.#control.value = text;
  }

  /** Says what is wrong with it; nothing takes that back. */
  complain(messages: readonly string[]): void {
    setText(this.#said, messages.join('; '));
    this.#said.hidden = messages.length === 0;
    if (messages.length === 0) this.#control.removeAttribute('aria-invalid');
    else this.#control.setAttribute('aria-invalid', 'true');
  }

  focus(): void {
    this.#control.focus();
  }
}

function toControl({ entry, nullable }: Field, id: string): Control {
  const plain = { id, autocomplete: 'off', spellcheck: 'false' };
  switch (entry.kind) {
    case 'choice':
      return toSelect(id, entry.values, nullable);
    case 'boolean':
      return toSelect(id, [true, false], nullable);
    case 'lines':
      return el('textarea', { ...plain, rows: 3, placeholder: 'one in each line' });
    case 'json':
      return el('textarea', { ...plain, rows: 4, class: 'code', placeholder: 'JSON' });
    case 'integer':
    case 'number':
      return el('input', {
        ...plain,
        type: 'text',
        inputmode: entry.kind === 'integer' ? 'numeric' : 'decimal',
      });
    case 'text':
      return entry.long ? el('textarea', { ...plain, rows: 3 }) : el('input', { ...plain, type: 'text' });
  }
}

/** The empty one leaves it out. */
function toSelect(id: string, values: readonly unknown[], nullable: boolean): HTMLSelectElement {
  const options = [...values, ...(nullable ? [null] : [])];
  return el(
    'select',
    { id },
    el('option', { value: '' }, '—'),
    ...options.map((value) =>
      el(
        'option',
        { value: JSON.stringify(value) },
        typeof value === 'string' ? value : JSON.stringify(value),
      ),
    ),
  );
}
