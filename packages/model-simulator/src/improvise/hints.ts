/** What a text offers to fill values with; each number and each quotation is used once. */
export class Hints {
  readonly text: string;
  readonly #numbers: number[];
  readonly #quotations: string[];

  constructor(text: string) {
    this.text = text.trim();
    this.#quotations = [...text.matchAll(/["“]([^"”]+)["”]/g)].map((match) => match[1] ?? '');
    this.#numbers = [...text.matchAll(/(?<![\w.])-?\d+(\.\d+)?(?![\w])/g)].map((match) => Number(match[0]));
  }

  /** Whether the text has a number that was not used yet. */
  get hasNumber(): boolean {
    return this.#numbers.length > 0;
  }

  /** The number that follows the name of a property, or else the next one. */
  takeNumber(name: string): number | undefined {
    const named = Number(this.after(name)?.replaceAll(/[^\d.-]/g, '') || Number.NaN);
    const at = Math.max(0, this.#numbers.indexOf(named));
    return this.#numbers.splice(at, 1)[0];
  }

  /** The next quotation. */
  takeQuotation(): string | undefined {
    return this.#quotations.shift();
  }

  /** Whether the text says the name of a property. */
  mentions(name: string): boolean {
    return escaped(name) !== '' && new RegExp(`\\b${escaped(name)}\\b`, 'i').test(this.text);
  }

  /** The word that follows the name of a property. */
  after(name: string): string | undefined {
    if (escaped(name) === '') return undefined;
    return new RegExp(`\\b${escaped(name)}\\b(?:\\s+is)?[\\s:=#]+([\\w@./-]*\\w)`, 'i').exec(this.text)?.[1];
  }
}

function escaped(name: string): string {
  return name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/[^\w ]/g, '')
    .replaceAll(' ', '[ _-]');
}
