const syllables = [
  'ba',
  'cor',
  'den',
  'fi',
  'gra',
  'hol',
  'ki',
  'lum',
  'mer',
  'no',
  'pel',
  'ri',
  'san',
  'tor',
  'vu',
];

/** The word of a rank: short ones are frequent, and no two are the same. */
function wordOf(rank: number): string {
  const last = syllables[rank % syllables.length] ?? '';
  return rank < syllables.length ? last : wordOf(Math.floor(rank / syllables.length) - 1) + last;
}

/** Text whose words are as frequent as those of a language: the second one is half as frequent as the first one. */
export class ZipfText {
  readonly #words: readonly string[];
  readonly #sums: readonly number[];
  #state: number;

  /** @param seed the same text for the same number */
  constructor(seed: number, size = 4_000) {
    this.#state = seed;
    this.#words = Array.from({ length: size }, (_, rank) => wordOf(rank));
    let sum = 0;
    this.#sums = this.#words.map((_, rank) => {
      sum += 1 / (rank + 2);
      return sum;
    });
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.#word()).join(' ');
  }

  /** One to four words, or the beginning of one, or one with two letters in the wrong order. */
  query(i: number): string {
    const word = this.#word();
    if (i % 8 === 6) return word.slice(0, 4);
    if (i % 8 === 7) return `${word.slice(0, -2)}${word.slice(-1)}${word.slice(-2, -1)}`;
    return this.words((i % 4) + 1);
  }

  #word(): string {
    const sum = this.#random() * (this.#sums.at(-1) ?? 0);
    return this.#words[this.#sums.findIndex((one) => one > sum)] ?? '';
  }

  /** Between 0 and 1; the generator of Park and Miller. */
  #random(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state / 2_147_483_647;
  }
}
