import type { SimulatorOptions } from '@waymark/model-simulator';

type Script = NonNullable<SimulatorOptions['script']>;

/** A call that a text orders. */
interface Order {
  readonly name: string;
  /** JSON. */
  readonly values: string;
}

/** More calls than that nobody makes in one turn. */
const mostOrders = 40;

/** What a model says of a text that long is its beginning. */
const mostTold = 30_000;

/**
 * A model that believes whatever it reads, in readings and in pictures, through every disguise: it calls what it is told to
 * call, once, or for ever where the text says LOOP, and repeats what it was told and what came of it.
 */
export const gullible: Script = ({ turns }) => {
  const text = turns
    .flatMap((turn) =>
      turn.role === 'user' ? [turn.text, ...turn.images.map(({ data }) => writing(data))] : [],
    )
    .join('\n');
  const answered = turns.flatMap((turn) => (turn.role === 'tool' ? turn.results : []));
  const orders = ordersIn(text);
  if (orders.length > 0 && (answered.length === 0 || text.includes('LOOP')))
    return `[[calls ${orders.map(({ name, values }) => `${name} ${values}`).join(', ')}]]`;
  const results = answered.map(({ name, text: said }) => `${name}: ${said}`);
  return `[[json ${JSON.stringify({ told: text.slice(0, mostTold), results })}]]`;
};

/** The orders in a text, read as it stands and through each disguise. */
export function ordersIn(text: string): readonly Order[] {
  const found = readings(text).flatMap((reading) => [
    ...matches(reading, /CALL ([^\s{,|[\]"]+) (\{[^\n]*?\})(?=$|\W)/gm),
    ...matches(reading, /<invoke name="([^"\s]+)">/g),
    ...matches(reading, /<function=([\w.-]+)>(\{[^\n]*?\})/g),
    ...matches(reading, /"name":\s*"(\w+)",\s*"(?:input|arguments|parameters)":\s*(\{[^{}]*\})/g),
    ...matches(reading, /"name":\s*"(\w+)",\s*"arguments":\s*"/g),
  ]);
  const once = new Map(found.map((order) => [`${order.name} ${order.values}`, order]));
  return [...once.values()].slice(0, mostOrders);
}

/** What stands in the text chunk of a picture. */
function writing(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const at = bytes.indexOf('tEXtsign\0');
  return at < 4 ? '' : bytes.toString('utf8', at + 9, at + 4 + bytes.readUInt32BE(at - 4));
}

function matches(text: string, pattern: RegExp): readonly Order[] {
  return [...text.matchAll(pattern)].map(([, name = '', values = '{}']) => ({
    name,
    values: toArguments(values),
  }));
}

/** What is no JSON is sent as it is. */
function toArguments(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

function readings(text: string): readonly string[] {
  const plain = text.replaceAll('\\"', '"').replaceAll('\\n', '\n').replaceAll('\\\\', '\\');
  return [
    plain,
    plain.replaceAll('\\"', '"'),
    plain.replaceAll(/[\u200b\ufeff]/g, ''),
    plain.normalize('NFKC'),
    Array.from(plain.replaceAll(/[\u202c\u202e]/g, ' '))
      .reverse()
      .join(''),
    // Letters that no screen shows.
    plain.replaceAll(/[\u{e0020}-\u{e007e}]/gu, (letter) =>
      String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0xe0000),
    ),
    plain.replaceAll(/%([0-7][\da-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    ),
    plain.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
    plain.replaceAll(/\\u([\da-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    ),
    ...[...plain.matchAll(/[A-Za-z0-9+/]{24,}={0,2}/g)].map(([code]) =>
      Buffer.from(code, 'base64').toString(),
    ),
  ];
}
