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

/** Text whose words are as frequent as those of a language: the tenth one is a tenth as frequent as the first one. */
export class ZipfText {
  readonly #words: readonly string[];
  readonly #sums: readonly number[];
  #state: number;

  /** @param seed the same text for the same number @param size different words */
  constructor(seed: number, size: number) {
    this.#state = seed;
    this.#words = Array.from({ length: size }, (_, rank) => wordOf(rank));
    let sum = 0;
    this.#sums = this.#words.map((_, rank) => {
      sum += 1 / (rank + 1);
      return sum;
    });
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.#word()).join(' ');
  }

  /** What somebody may ask about a text: words of it; every eighth time the beginning of one, or one with a slip. */
  query(text: string, i: number): string {
    const words = text.split(' ');
    const pick = () => words[Math.floor(this.#random() * words.length)] ?? '';
    const word = pick();
    if (i % 8 === 6) return word.slice(0, Math.max(3, word.length - 2));
    if (i % 8 === 7) return `${word.slice(0, -2)}${word.slice(-1)}${word.slice(-2, -1)}`;
    return Array.from({ length: (i % 4) + 1 }, pick).join(' ');
  }

  #word(): string {
    const sum = this.#random() * (this.#sums.at(-1) ?? 0);
    let [low, high] = [0, this.#sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sums[middle] ?? 0) < sum) low = middle + 1;
      else high = middle;
    }
    return this.#words[low] ?? '';
  }

  /** Between 0 and 1; the generator of Park and Miller. */
  #random(): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state / 2_147_483_647;
  }
}
