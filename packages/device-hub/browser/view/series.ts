const leastSlots = 30;

/** The newest values of one member. */
export class Series {
  readonly #values: number[] = [];
  readonly #keep: number;

  constructor(keep: number) {
    this.#keep = keep;
  }

  add(value: number): void {
    this.#values.push(value);
    if (this.#values.length > this.#keep) this.#values.shift();
  }

  get length(): number {
    return this.#values.length;
  }

  get smallest(): number {
    return Math.min(...this.#values);
  }

  get largest(): number {
    return Math.max(...this.#values);
  }

  /** As a line that fills a box from the right: the path of an SVG. */
  toPath(width: number, height: number): string {
    const { smallest, largest } = this;
    // Halved, since the distance of two numbers may be more than there are numbers.
    const span = largest / 2 - smallest / 2;
    // A few values are drawn large, until there are more.
    const step = width / (Math.max(leastSlots, this.#values.length) - 1);
    const left = width - (this.#values.length - 1) * step;
    return this.#values
      .map((value, i) => {
        const part = span === 0 ? 0.5 : (value / 2 - smallest / 2) / span;
        return `${i === 0 ? 'M' : 'L'}${(left + i * step).toFixed(1)} ${((1 - part) * height).toFixed(1)}`;
      })
      .join('');
  }
}
