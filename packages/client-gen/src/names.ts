/** Names that generated types must not take, besides those of the runtime: the client's own, and globals that its text uses. */
const takenTypes = [
  ...['Client', 'ControlClient'],
  ...['Promise', 'Readonly', 'Record', 'Exclude', 'Pick', 'Omit', 'Partial', 'ReturnType', 'NonNullable'],
  ...['Error', 'HTTPError', 'TypeError', 'Object', 'Array', 'String', 'Number', 'Math', 'JSON'],
  ...['Response', 'Request', 'RequestInit', 'Headers', 'URL', 'AbortSignal', 'Blob', 'WebSocket'],
  ...['Uint8Array', 'ArrayBuffer', 'AsyncGenerator', 'AsyncIterableIterator', 'IteratorResult'],
  ...['TextDecoderStream', 'URLSearchParams', 'Set', 'Map', 'Symbol'],
];

/** Members of a client that hold others. */
const takenGroups = ['agents', 'behaviours', 'control', 'devices', 'flows'];

/** Names no member may take: `then` would make its object a promise, `__proto__` no member, the rest are inherited. */
const takenMembers = [
  ...['then', '__proto__', 'constructor', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable'],
  ...['toLocaleString', 'toString', 'valueOf', 'toJSON'],
];

/** Names of one kind, each given once. */
export class NameSet {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  /** A set for the types of a client. @param others names that its runtime has */
  static forTypes(others: readonly string[] = []): NameSet {
    return new NameSet([...takenTypes, ...others]);
  }

  /** A set for the methods of a client. */
  static forMethods(): NameSet {
    return new NameSet([...takenGroups, ...takenMembers]);
  }

  /** A set for the members of an object inside a client. */
  static forMembers(): NameSet {
    return new NameSet(takenMembers);
  }

  /** Takes a name; a taken one gets a number. */
  take(wanted: string): string {
    return this.#takeFirst(wanted, (n) => `${wanted}${n}`);
  }

  /** Takes a name; a taken one gets a suffix that depends on `key` alone, so that other names cannot change it. */
  takeStable(wanted: string, key: string): string {
    return this.#takeFirst(wanted, (n) => `${wanted}_${shortHash(n === 2 ? key : `${key}#${n}`)}`);
  }

  #takeFirst(wanted: string, other: (n: number) => string): string {
    let name = wanted;
    for (let n = 2; this.#taken.has(name); n++) name = other(n);
    this.#taken.add(name);
    return name;
  }
}

/** `get_tickets_by_id` is `getTicketsById`. */
export function toCamelCase(name: string): string {
  const pascal = toPascalCase(name);
  return pascal[0] === '_' ? pascal : `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}`;
}

/** `get_tickets_by_id` is `GetTicketsById`. */
export function toPascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `_${joined}`;
}

/** Six letters and digits of FNV-1a; tells names apart, protects nothing. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36).slice(-6).padStart(6, '0');
}
