import { toVisible } from '@waymark/contract/text';

/** Markup that is as it should be: only `html` makes some, so that nothing else gets into a page unescaped. */
export class Markup {
  readonly text: string;

  /** @param text markup, whatever was not written by us escaped in it */
  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: nothing for undefined, texts escaped, markup as it is. */
type Shown = string | number | Markup | undefined | readonly Markup[];

/**
 * Template tag for markup; texts are escaped, for content and for values of attributes in quotes. What cannot be seen of a
 * text is written out; values of attributes are addresses and what forms send, and stay what they are.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Shown[]): Markup {
  const parts = strings.map((text, i) =>
    i === 0 ? text : toText(values[i - 1], strings[i - 1] ?? '') + text,
  );
  return new Markup(parts.join(''));
}

function toText(value: Shown, before: string): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  const text = before.endsWith('="') ? String(value) : toVisible(String(value));
  return text.replace(/[&<>"'`]/g, (one) => `&#${one.charCodeAt(0)};`);
}
