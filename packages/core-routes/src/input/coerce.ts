import type { SchemaValues } from '@waymark/contract/schema';
import { unkeptNumber } from '@waymark/contract/text';

/**
 * Turns the text of a path or query parameter into the value its schema means; text that does not fit stays text, for
 * validation to refuse. A number that JavaScript does not keep is infinite, as it is in JSON, for whoever refuses those.
 */
export type Coerce = (text: string) => unknown;

/**
 * Picks the coercion for what a schema takes (decision 2.4): plain decimal integers (`007`, `1e1`, `0x10` are none), numbers as
 * JSON writes them, `true` and `false`. Where the schema also takes any text, text
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

const asText: Coerce = (text) => text;

function asNumber(text: string): unknown {
  return decimal.test(text) ? kept(text) : text;
}

function asInteger(text: string): unknown {
  return wholeNumber.test(text) ? kept(text) : text;
}

function kept(text: string): number {
  return unkeptNumber(text, 'integers') === undefined ? Number(text) : Number.POSITIVE_INFINITY;
}

function asBoolean(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}
