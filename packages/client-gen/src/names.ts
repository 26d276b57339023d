/** Names that generated types must not take: the client's own, and globals that its text uses. */
const takenTypes = [
  ...[
    'ClientOptions',
    'CallOptions',
    'Progress',
    'ProgressOptions',
    'NoInput',
    'BinaryBody',
    'InputError',
    'ProblemError',
    'Client',
    'ControlClient',
  ],
  ...[
    'JsonObject',
    'HTTPError',
    'Operation',
    'Promise',
    'Readonly',
    'Record',
    'Exclude',
    'Pick',
    'Error',
    'TypeError',
  ],
  ...[
    'Response',
    'Request',
    'RequestInit',
    'Headers',
    'URL',
    'AbortSignal',
    'Blob',
    'Uint8Array',
    'ArrayBuffer',
  ],
  ...['Object', 'Array', 'String', 'Math', 'JSON', 'AsyncGenerator', 'TextDecoderStream'],
  // Those of sockets and devices.
  ...[
    'SocketLike',
    'SocketState',
    'SocketOptions',
    'SocketError',
    'SocketUse',
    'LastingSocket',
    'WebSocket',
    'ReturnType',
  ],
  ...[
    'Frames',
    'Presence',
    'StreamOptions',
    'PublishOptions',
    'CameraClient',
    'SensorClient',
    'CameraPublisher',
    'SensorPublisher',
  ],
  ...[
    'DeviceEvent',
    'DeviceHello',
    'DeviceFrame',
    'DeviceTelemetry',
    'DeviceInsight',
    'DeviceStatus',
    'DeviceLagged',
  ],
  ...['EventQueue', 'EventReader', 'Publisher', 'AsyncIterableIterator', 'IteratorResult'],
  // Those of runs.
  ...['RunStep', 'RunEvent', 'RunDelta', 'RunReader', 'RunClient', 'BehaviourClient', 'FollowOptions'],
  ...['RunArguments', 'RunPlace', 'RunReading', 'Omit', 'Partial'],
];

/** Names a method must not take: `then` would make the client a promise, the rest are namespaces or inherited. */
const takenMethods = [
  ...[
    'agents',
    'behaviours',
    'control',
    'devices',
    'flows',
    'then',
    'constructor',
    'hasOwnProperty',
    'isPrototypeOf',
    'propertyIsEnumerable',
  ],
  ...['toLocaleString', 'toString', 'valueOf', 'toJSON'],
];

/** Names of one kind, each given once. */
export class NameSet {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  /** A set for the types of a client. */
  static forTypes(): NameSet {
    return new NameSet(takenTypes);
  }

  /** A set for the methods of one object. */
  static forMethods(): NameSet {
    return new NameSet(takenMethods);
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
