import type { SchemaValues } from '@waymark/contract/schema';

/** Turns the text of a path or query parameter into the value its schema means; text that does not fit stays text, for validation to refuse. */
export type Coerce = (text: string) => unknown;

/**
 * Picks the coercion for what a schema takes (decision 2.4): plain decimal integers up to 2^53 (`007`, `1e1`, `0x10` are
 * none), numbers as JSON writes them, however large, `true` and `false`. Where the schema also takes any text, text
 * wins; a few words do not make it win.
 */
export function coerceFor({ types, words }: SchemaValues): Coerce {
  if (words === undefined) return asText;
  if (types.has('integer') || types.has('number')) {
    const number = types.has('number') ? asNumber : asInteger;
    return types.has('boolean') ? (text) => asBoolean(number(text)) : number;
  }
  return types.has('boolean') ? asBoolean : asText;
}

const wholeNumber = /^-?(?:0|[1-9]\d*)$/;
/** As JSON writes numbers, and as clients print small ones: `1e-7`. */
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** 2^53. The number after it would be read as this very one, so the text decides. */
const isLargest = /^-?9007199254740992$/;

const asText: Coerce = (text) => text;

function asNumber(text: string): unknown {
  if (!decimal.test(text)) return text;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

function asInteger(text: string): unknown {
  if (!wholeNumber.test(text)) return text;
  const value = Number(text);
  return Number.isSafeInteger(value) || isLargest.test(text) ? value : text;
}

function asBoolean(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}
