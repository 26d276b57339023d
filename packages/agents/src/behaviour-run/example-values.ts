import type { Json } from '@waymark/contract';
import { isOptions } from '@waymark/contract/declaring';

/** A JSON Schema, or a part of one. */
type Node = Readonly<Record<string, unknown>>;

/** Alternatives that are gone through. */
const maxAlternatives = 16;

/** Characters of a text, however long it should be. */
const maxText = 1_000;

/**
 * Makes values that have the types of a JSON Schema, as small as they come: each alternative stands in one of them. They
 * need not be valid: patterns and the like are not looked at.
 */
export function exampleValues(schema: object): readonly Json[] {
  const root = schema as Node;
  const turns = Math.min(widest(root), maxAlternatives);
  return Array.from({ length: turns }, (_, turn) => toExample(root, { root, turn, open: ['#'] }) ?? null);
}

function widest(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 1;
  const { anyOf, oneOf } = node as Node;
  const here = [anyOf, oneOf].map((one) => (Array.isArray(one) ? one.length : 1));
  return Math.max(...here, ...Object.values(node).map(widest));
}

interface Place {
  readonly root: Node;
  /** Which of the alternatives is taken. */
  readonly turn: number;
  /** References that are being followed: what holds itself is left out inside of itself. */
  readonly open: readonly string[];
}

function toExample(given: unknown, at: Place): Json | undefined {
  if (!isOptions(given)) return null;
  const node = given as Node;
  const { $ref, const: constant, enum: values, anyOf, oneOf, allOf } = node;
  if (typeof $ref === 'string')
    return at.open.includes($ref)
      ? undefined
      : toExample(resolve($ref, at.root), { ...at, open: [...at.open, $ref] });
  if (constant !== undefined) return constant as Json;
  if (Array.isArray(values)) return values[0] as Json;
  for (const choice of [anyOf, oneOf])
    if (Array.isArray(choice) && choice.length > 0) return toExample(choice[at.turn % choice.length], at);
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((one) => toExample(one, at))) as Json;
  return ofType(node, at);
}

function ofType(node: Node, at: Place): Json {
  const type: unknown = [node['type']].flat()[0];
  const { properties, items, prefixItems, minimum = 0, minLength = 0, format } = node;
  if (type === 'object') {
    const members = Object.entries(isOptions(properties) ? properties : {});
    const given = members.map(([name, one]) => [name, toExample(one, at)] as const);
    return Object.fromEntries(given.filter(([, one]) => one !== undefined));
  }
  if (type === 'array') {
    const list = Array.isArray(prefixItems) ? prefixItems : [items];
    return list.map((one) => toExample(one, at)).filter((one) => one !== undefined);
  }
  if (type === 'string') return formats[String(format)] ?? 'x'.repeat(Math.min(Number(minLength), maxText));
  if (type === 'number' || type === 'integer') return Number(minimum);
  return type === 'boolean' ? false : null;
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  email: 'ann@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function resolve(reference: string, root: Node): unknown {
  const tokens = reference.split('/').slice(1);
  let node: unknown = root;
  for (const token of tokens)
    node = isOptions(node) ? (node as Node)[token.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return node;
}
