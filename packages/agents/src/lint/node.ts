/** A node of the syntax tree, as linters hand it out (ESTree); members are looked at one by one. */
export interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Whether something in a tree is a node. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Whether a node is code of its own. */
export function isFunction(value: unknown): value is Node {
  return isNode(value) && /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(value.type);
}

/** The nodes in a list. */
export function nodesIn(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** What an expression is without the types that are written around it. */
export function bare(value: unknown): unknown {
  const wrapped =
    isNode(value) && /^(TS(As|Satisfies|NonNull)|Chain|Parenthesized)Expression$/.test(value.type);
  return wrapped ? bare(value['expression']) : value;
}

/** The name of a member: a word, or a text. */
export function memberName(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  const name = value.type === 'Identifier' ? value['name'] : value['value'];
  return typeof name === 'string' ? name : undefined;
}

/** A name in dots, `Date.now` or `Date['now']`, of what is written so; undefined for anything computed. */
export function dottedName(written: unknown): string | undefined {
  const value = bare(written);
  if (!isNode(value)) return undefined;
  const { type, object, property, computed } = value;
  if (type === 'Identifier') return memberName(value);
  if (type !== 'MemberExpression') return undefined;
  const owner = dottedName(object);
  const isWord = isNode(property) && property.type === 'Identifier';
  const member = computed === true && isWord ? undefined : memberName(property);
  if (owner === undefined || member === undefined) return undefined;
  return owner === 'globalThis' ? member : `${owner}.${member}`;
}
