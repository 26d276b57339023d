import { dottedName, isFunction, isNode, type Node, nodesIn } from './node.ts';

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
    const name = dottedName(id);
    if (name !== undefined && isFunction(init)) this.#named.set(name, init);
  }

  /** Looks at a call: of `behaviour`, or of a method of that name. */
  call({ callee, arguments: given }: Node): void {
    if (!/(^|\.)behaviour$/.test(dottedName(callee) ?? '')) return;
    const body = nodesIn(given).at(-1);
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

/** `ctx: BehaviourContext` */
function isContext({ typeAnnotation }: Node): boolean {
  const annotation = isNode(typeAnnotation) ? typeAnnotation['typeAnnotation'] : undefined;
  return isNode(annotation) && dottedName(annotation['typeName']) === 'BehaviourContext';
}
