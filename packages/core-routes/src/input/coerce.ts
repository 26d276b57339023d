/** Turns the text of a path or query parameter into the value its schema means; text that does not fit stays text, for validation to refuse. */
export type Coerce = (text: string) => unknown;

/**
 * Picks the coercion for a schema (decision 2.4): plain decimal integers up to 2^53 (`007`, `1e1`, `0x10` are none),
 * numbers as JSON writes them, however large, `true` and `false`. Where the schema also takes text, text wins.
 */
export function coerceFor(schema: object): Coerce {
  const types = typesOf(schema);
  if (types.has('string')) return asText;
  if (types.has('integer') || types.has('number')) {
    const number = types.has('number') ? asNumber : asInteger;
    return types.has('boolean') ? (text) => asBoolean(number(text)) : number;
  }
  return types.has('boolean') ? asBoolean : asText;
}

/** The schema of the items when a parameter is a list, which may be given several times. */
export function listItems(schema: object): object | undefined {
  const { type, items } = schema as { type?: unknown; items?: unknown };
  return type === 'array' ? (typeof items === 'object' && items !== null ? items : {}) : undefined;
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

/** The JSON types a schema takes. One that does not say is text: nothing is guessed. */
function typesOf(schema: object): ReadonlySet<string> {
  const { type, anyOf, oneOf, const: constant, enum: values } = schema as Readonly<Record<string, unknown>>;
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type as readonly string[]);
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  // A union of literals and a type, as "a number or `all`": only a branch that takes any text makes text win.
  if (branches)
    return new Set(
      (branches as readonly object[]).flatMap((branch) =>
        [...typesOf(branch)].filter((one) => one !== 'string' || !('const' in branch || 'enum' in branch)),
      ),
    );
  const literals = new Set<string>(
    (Array.isArray(values) ? values : [constant]).map((literal) => typeof literal),
  );
  // As in a union: a few words do not make all text win.
  if (literals.size > 1) literals.delete('string');
  return literals;
}
