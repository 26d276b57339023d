import { bare, dottedName, isFunction, isNode, memberName, type Node, nodesIn } from './node.ts';

/** Finds the functions of behaviours in one file: those passed to `behaviour(…)`, and those that take a context. */
export class BehaviourFunctions {
  readonly #functions = new Set<Node>();
  readonly #named = new Map<string, Node>();
  readonly #passed = new Set<string>();

  /** Looks at a function where it begins. */
  enter(node: Node): void {
    if (nodesIn(node['params']).some(isContext)) this.#functions.add(node);
    const name = node.type === 'FunctionDeclaration' ? dottedName(node['id']) : undefined;
    if (name !== undefined) this.#named.set(name, node);
  }

  /** Looks at `const name = () => …`. */
  declare({ id, init }: Node): void {
    const body = bare(init);
    if (!isFunction(body)) return;
    const name = dottedName(id);
    if (name !== undefined) this.#named.set(name, body);
    if ([id, init].some((typed) => isTyped(typed, 'BehaviourFunction'))) this.#functions.add(body);
  }

  /** Looks at a call: of `behaviour`, or of a method of that name. */
  call({ callee, arguments: given }: Node): void {
    // Of whatever has the method: declarations come in chains.
    const called = isNode(callee) && callee.type === 'MemberExpression' ? callee['property'] : callee;
    if (memberName(called) !== 'behaviour') return;
    const body = bare(nodesIn(given).at(-1));
    if (isFunction(body)) this.#functions.add(body);
    const name = dottedName(body);
    if (name !== undefined) this.#passed.add(name);
  }

  /** Whether one of the functions that a place is in is a behaviour's. All of the file has been looked at. */
  hold(around: readonly Node[]): boolean {
    const passed = [...this.#passed].map((name) => this.#named.get(name));
    return around.some((node) => this.#functions.has(node) || passed.includes(node));
  }
}

/** `ctx: BehaviourContext`, with or without a default. */
function isContext(parameter: Node): boolean {
  return isTyped(parameter['left'] ?? parameter, 'BehaviourContext');
}

/** `x: Name`, `x as Name` or `x satisfies Name`, the name qualified or not. */
function isTyped(node: unknown, name: string): boolean {
  const written = isNode(node) ? node['typeAnnotation'] : undefined;
  const type = isNode(written) ? (written['typeAnnotation'] ?? written) : undefined;
  const typeName = isNode(type) ? type['typeName'] : undefined;
  return memberName(isNode(typeName) ? (typeName['right'] ?? typeName) : undefined) === name;
}
