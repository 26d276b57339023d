/** A regular expression as states: one for each place where it reads a character. */
export interface PatternStates {
  /** The states a match may begin with, and end with. */
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** Nothing at all matches. */
  readonly nullable: boolean;
  readonly samples: readonly string[];
  /** The characters each state reads, as a bit set over the same few samples. */
  readonly reads: readonly bigint[];
  /** The states that may come after each; one stands there once for each way that leads to it. */
  readonly follows: readonly (readonly number[])[];
}

/** A part of an expression: the states it may begin and end with. */
interface Part {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const nothing: Part = { nullable: true, first: [], last: [] };

/** Repeating this often, or more, is as good as endlessly. */
const manyTimes = 10;

/**
 * Takes a regular expression apart (Glushkov's construction). What reads nothing, such as anchors and references back,
 * is left out; what a lookaround holds stands for itself.
 *
 * @param source one that `new RegExp(source, 'u')` takes
 */
export function toPatternStates(source: string): PatternStates {
  return new Parser(source).run();
}

class Parser {
  readonly #source: string;
  readonly #samples: readonly string[];
  readonly #reads: bigint[] = [];
  readonly #follows: number[][] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
    // The characters of the expression itself, and some of every kind that a class may speak of.
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
    this.#samples = [...new Set([...ascii, ...Array.from(`éÉß中😀\u00a0\u2028${source}`)])];
  }

  run(): PatternStates {
    const whole = this.#alternatives();
    return { ...whole, samples: this.#samples, reads: this.#reads, follows: this.#follows };
  }

  #alternatives(): Part {
    let all = this.#sequence();
    while (this.#takes('|')) {
      const next = this.#sequence();
      all = {
        nullable: all.nullable || next.nullable,
        first: [...all.first, ...next.first],
        last: [...all.last, ...next.last],
      };
    }
    return all;
  }

  #sequence(): Part {
    let all = nothing;
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? '')) {
      const next = this.#quantified();
      this.#connect(all, next);
      all = {
        nullable: all.nullable && next.nullable,
        first: all.nullable ? [...all.first, ...next.first] : all.first,
        last: next.nullable ? [...all.last, ...next.last] : next.last,
      };
    }
    return all;
  }

  #quantified(): Part {
    const part = this.#atom();
    const [, sign, from, comma, to] = this.#matches(/([*+?]|\{(\d+)(,?)(\d*)\})\??/y) ?? [];
    if (sign === undefined) return part;
    const least = from === undefined ? (sign === '+' ? 1 : 0) : Number(from);
    const most = from === undefined ? (sign === '?' ? 1 : Infinity) : comma ? Number(to || Infinity) : least;
    // So many times exactly is no choice, unless what is repeated holds one.
    const chooses = least !== most || part.first.length > 1;
    if (most > manyTimes && chooses) this.#connect(part, part);
    return { ...part, nullable: part.nullable || least === 0 };
  }

  #atom(): Part {
    if (this.#takes('(')) return this.#group();
    // Anchors, edges of words, and references back.
    if (this.#matches(/[$^]|\\[bB]|\\[1-9]\d*|\\k<[^>]*>/y)) return nothing;
    const [text = ''] =
      this.#matches(/\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u\w{4}|\\x\w\w|\\c\w|\\.|./suy) ??
      [];
    const reads = new RegExp(`^(?:${text})$`, 'u');
    const state = this.#reads.length;
    this.#reads.push(
      this.#samples.reduce((bits, sample, i) => (reads.test(sample) ? bits | (1n << BigInt(i)) : bits), 0n),
    );
    this.#follows.push([]);
    return { nullable: false, first: [state], last: [state] };
  }

  #group(): Part {
    const [look] = this.#matches(/\?<?[=!]/y) ?? [];
    if (look === undefined) this.#matches(/\?(?:<[^>]*>|[a-z-]*:)/y);
    const part = this.#alternatives();
    this.#takes(')');
    return look === undefined ? part : nothing;
  }

  #connect(before: Part, after: Part): void {
    for (const state of before.last) this.#follows[state]?.push(...after.first);
  }

  #takes(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #matches(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#source);
    if (match) this.#at = sticky.lastIndex;
    return match;
  }
}
