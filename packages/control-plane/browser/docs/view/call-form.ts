import { type Draft, type Entered, type Fault, keyOf, toDraft } from '../call/draft.ts';
import { type BodyForm, type Field, type FormShape, fromBody, toFormShape } from '../call/fields.ts';
import { readJson } from '../call/read-field.ts';
import type { Api, Operation } from '../model/api.ts';
import { el, setText } from './dom.ts';
import { FieldView } from './field-view.ts';

/** The values of a call, as fields. */
export class CallForm {
  readonly element: HTMLElement;
  readonly shape: FormShape;
  readonly #operation: Operation;
  readonly #fields = new Map<string, FieldView>();
  readonly #bodySaid = el('p', { class: 'wrong', id: 'body-said', hidden: true });
  readonly #json: HTMLTextAreaElement;
  readonly #file: HTMLInputElement;
  #asJson: boolean;

  constructor(operation: Operation, { references }: Api) {
    this.#operation = operation;
    this.shape = toFormShape(operation, references);
    const { fields, body } = this.shape;
    const members = body.kind === 'json' ? body.members : [];
    this.#asJson = members.length === 0;
    this.#json = toJsonField(body);
    this.#file = el('input', { type: 'file', id: 'body-file', 'aria-describedby': 'body-said' });
    const views = (those: readonly Field[]): readonly HTMLElement[] =>
      those.map((field) => {
        const view = new FieldView(field, references, `field-${this.#fields.size}`);
        this.#fields.set(keyOf(field), view);
        return view.element;
      });
    this.element = el('div', { class: 'fields' }, ...views(fields), ...this.#bodyParts(body, views(members)));
  }

  /** The call as it would be made now. */
  draft(): Draft {
    return toDraft(this.#operation, this.shape, this.#entered());
  }

  /** Shows what is wrong beside each field, or beside the whole body where that is what is seen, and goes to the first. */
  complain(faults: readonly Fault[]): void {
    for (const [key, view] of this.#fields)
      view.complain(faults.filter(({ at }) => at === key).map(({ message }) => message));
    const ofBody = faults.filter(({ at }) => this.#isOfWhole(at));
    setText(
      this.#bodySaid,
      ofBody.map(({ at, message }) => `${at.slice('body '.length)} ${message}`.trim()).join('; '),
    );
    this.#bodySaid.hidden = ofBody.length === 0;
    const [first] = faults;
    if (!first) return;
    if (!this.#isOfWhole(first.at)) this.#fields.get(first.at)?.focus();
    else if (this.shape.body.kind === 'file') this.#file.focus();
    else this.#json.focus();
  }

  #isOfWhole(at: string): boolean {
    return at === 'body' || (this.#asJson && at.startsWith('body '));
  }

  #entered(): Entered {
    const [file] = this.#file.files ?? [];
    return {
      texts: new Map([...this.#fields].map(([key, view]) => [key, view.text])),
      json: this.#asJson ? this.#json.value : undefined,
      file: file && { name: file.name, type: file.type, bytes: file },
    };
  }

  #bodyParts(body: BodyForm, members: readonly HTMLElement[]): readonly HTMLElement[] {
    if (body.kind === 'none') return [];
    if (body.kind === 'file')
      return [
        el(
          'div',
          { class: 'field' },
          el('label', { for: 'body-file' }, 'Body ', el('span', { class: 'soft' }, body.mediaType)),
          this.#file,
          this.#bodySaid,
        ),
      ];
    const whole = el(
      'div',
      { class: 'field' },
      el('label', { for: 'body-json' }, 'Body ', el('span', { class: 'soft' }, 'JSON')),
      this.#json,
      this.#bodySaid,
    );
    if (members.length === 0) return [whole];
    const byMembers = el('div', { class: 'fields' }, ...members);
    whole.hidden = true;
    const toggle = el('button', { type: 'button', class: 'small', 'aria-pressed': 'false' }, 'Body as JSON');
    toggle.addEventListener('click', () => {
      if (!this.#carryOver(body.members)) return;
      this.#asJson = !this.#asJson;
      toggle.setAttribute('aria-pressed', `${this.#asJson}`);
      whole.hidden = !this.#asJson;
      byMembers.hidden = this.#asJson;
      (this.#asJson ? this.#json : toggle).focus();
      this.element.dispatchEvent(new Event('input', { bubbles: true }));
    });
    return [toggle, byMembers, whole];
  }

  /** Takes what was entered in one way over into the other. @returns false where it has no room there */
  #carryOver(members: readonly Field[]): boolean {
    if (!this.#asJson) {
      const { body } = this.draft();
      this.#json.value = body.kind === 'json' ? JSON.stringify(body.value, null, 2) : '';
      return true;
    }
    const text = this.#json.value.trim();
    const reading = text === '' ? ({ is: 'value', value: {} } as const) : readJson(text);
    const texts = reading.is === 'value' ? fromBody(members, reading.value) : undefined;
    if (!texts) {
      this.complain([
        { at: 'body', message: 'has no place in fields: not JSON, or a member that is not known' },
      ]);
      return false;
    }
    this.complain([]);
    for (const one of members) {
      const view = this.#fields.get(keyOf(one));
      if (view) view.text = texts.get(one.name) ?? '';
    }
    return true;
  }
}

function toJsonField(body: BodyForm): HTMLTextAreaElement {
  const field = el('textarea', {
    ...{ id: 'body-json', class: 'code', rows: 8, spellcheck: 'false', autocomplete: 'off' },
    'aria-describedby': 'body-said',
  });
  field.value = body.kind === 'json' && body.required ? body.example : '';
  return field;
}
