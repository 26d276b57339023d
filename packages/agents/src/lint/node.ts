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

/** A name in dots, `Date.now`, of what is written so; undefined for anything computed. */
export function dottedName(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  const { type, name, object, property, computed, expression } = value;
  if (type === 'Identifier') return typeof name === 'string' ? name : undefined;
  if (type === 'ChainExpression') return dottedName(expression);
  if (type !== 'MemberExpression' || computed === true) return undefined;
  const owner = dottedName(object);
  const member = dottedName(property);
  if (owner === undefined || member === undefined) return undefined;
  return owner === 'globalThis' ? member : `${owner}.${member}`;
}
