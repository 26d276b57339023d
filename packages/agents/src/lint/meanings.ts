import { bare, dottedName, isFunction, isNode, memberName, type Node, nodesIn } from './node.ts';

/** Built-in modules whose names also exist without import, with the prefix they have then. */
const builtIn: Readonly<Record<string, string>> = {
  crypto: 'crypto',
  process: 'process',
  perf_hooks: '',
  timers: '',
  'timers/promises': '',
};

/** What a name stands for when it is none of the built-in ones, or of two things at once. */
const unknown = '';

/** Finds what the names of one file stand for: imports, `const { now } = Date`, `const clock = Date.now`. */
export class Meanings {
  readonly #meanings = new Map<string, string>();

  /** Looks at an import. */
  import({ source, specifiers }: Node): void {
    const from = isNode(source) ? String(source['value']).replace(/^node:/, '') : '';
    const owner = Object.hasOwn(builtIn, from) ? builtIn[from] : undefined;
    for (const { type, local, imported } of nodesIn(specifiers)) {
      const member = type === 'ImportSpecifier' ? memberName(imported) : undefined;
      this.#set(local, owner === undefined ? unknown : joined(owner, member));
    }
  }

  /** Looks at a function that has a name. */
  enter({ type, id }: Node): void {
    if (type === 'FunctionDeclaration') this.#set(id, unknown);
  }

  /** Looks at `const name = …` and `const { name } = …`. */
  declare({ id, init }: Node): void {
    const given = dottedName(init);
    if (isFunction(bare(init)) || (isNode(init) && init.type === 'ObjectExpression')) this.#set(id, unknown);
    if (given === undefined || !isNode(id)) return;
    this.#set(id, given);
    for (const { key, value } of nodesIn(id['properties'])) this.#set(value, joined(given, memberName(key)));
  }

  /** What a name in dots stands for. All of the file has been looked at. */
  of(name: string): string {
    let meant = name;
    // A name may stand for one that stands for another; one that stands for itself is found soon enough.
    for (let i = 0; i < 4; i++) {
      const [first = '', ...rest] = meant.split('.');
      const meaning = this.#meanings.get(first);
      if (meaning === undefined) break;
      if (meaning === unknown) return unknown;
      meant = [meaning, ...rest].join('.');
    }
    return meant.replace(/^globalThis\./, '');
  }

  #set(name: unknown, meaning: string): void {
    const known = dottedName(name);
    if (known === undefined) return;
    const other = this.#meanings.get(known);
    this.#meanings.set(known, other === undefined || other === meaning ? meaning : unknown);
  }
}

function joined(owner: string, member: string | undefined): string {
  return [owner, member].filter(Boolean).join('.');
}
