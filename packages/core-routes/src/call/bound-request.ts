import type { Progress, RouteRequest, RouteTable, Values } from '@waymark/contract';
import { type Call, parseQuery, type RequestUser } from '@waymark/contract/engine';
import { parseJson } from '../input/parse-json.ts';

const noBytes = new Uint8Array(0);

/** What a request needs of the call it belongs to. */
interface Surroundings {
  readonly call: Call;
  /** As it was sent: what a library made of it is the handler's input alone. */
  readonly given: Values;
  readonly bytes: Uint8Array | undefined;
  readonly content: unknown;
  readonly signal: AbortSignal;
  readonly table: RouteTable;
  observe(progress: Progress): void;
}

/** The specification's request object, put together as it is read: most handlers look at one or two members. */
export class BoundRequest implements RouteRequest {
  readonly #of: Surroundings;
  #query: RouteRequest['query'] | undefined;
  #json: { readonly value: unknown } | undefined;

  constructor(surroundings: Surroundings) {
    this.#of = surroundings;
  }

  get id(): string {
    return this.#of.call.requestId;
  }

  get method(): RouteRequest['method'] {
    const { input, route } = this.#of.call;
    return input.by === 'request' ? input.method : route.method;
  }

  get path(): string {
    const { input, route } = this.#of.call;
    return input.by === 'request' ? input.path : fill(this.#of.table.pathOf(route), this.#of.given);
  }

  get params(): Readonly<Record<string, string>> {
    const { input } = this.#of.call;
    if (input.by === 'request') return input.params;
    const params: Record<string, string> = Object.create(null);
    for (const [name, value] of this.#travelling('path')) params[name] = String(value);
    return params;
  }

  get query(): RouteRequest['query'] {
    const { input } = this.#of.call;
    this.#query ??= collect(input.by === 'request' ? parseQuery(input.search) : this.#queryPairs());
    return this.#query;
  }

  get headers(): Readonly<Record<string, string>> {
    const { input, step } = this.#of.call;
    const headers = input.by === 'request' ? input.headers : {};
    return step ? { ...headers, 'idempotency-key': step.key } : headers;
  }

  get body(): Uint8Array {
    const { bytes, call, given } = this.#of;
    if (bytes) return bytes;
    return call.input.by === 'request' ? noBytes : new TextEncoder().encode(JSON.stringify(given));
  }

  get user(): RequestUser {
    const { id, rootId, authenticated, scopes } = this.#of.call.principal;
    return { id, root_id: rootId, authenticated, scopes };
  }

  get scopes(): readonly string[] {
    return this.#of.call.principal.scopes;
  }

  get signal(): AbortSignal {
    return this.#of.signal;
  }

  json(): unknown {
    this.#json ??= { value: this.#parse() };
    return this.#json.value;
  }

  get(name: string, fallback: unknown = null): unknown {
    const { params, query } = this;
    if (Object.hasOwn(params, name)) return params[name];
    if (Object.hasOwn(query, name)) return query[name];
    const content = this.#content();
    return Object.hasOwn(content, name) ? content[name] : fallback;
  }

  progress(done: number, total?: number, message?: string): void {
    this.#of.observe({
      event: 'progress',
      data: { done, ...(total !== undefined && { total }), ...(message !== undefined && { message }) },
    });
  }

  #parse(): unknown {
    const { call, content, bytes, given, table } = this.#of;
    if (call.input.by === 'arguments') return given;
    return content === undefined ? parseJson(bytes ?? noBytes, table.maxBodyValuesOf(call.route)) : content;
  }

  /** The members of the body, where it is a JSON object; `get` is no place to fail. */
  #content(): Record<string, unknown> {
    try {
      const value = this.json();
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Record<string, unknown>)
        : {};
    } catch {
      return {};
    }
  }

  /** The query that would have carried the arguments: a list gives its name several times. */
  #queryPairs(): readonly (readonly [string, string])[] {
    return this.#travelling('query').flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)] as const),
    );
  }

  #travelling(place: 'path' | 'query'): readonly (readonly [name: string, value: unknown])[] {
    const { call, given } = this.#of;
    return call.route.parameters
      .filter(
        (parameter) =>
          parameter.place === place &&
          Object.hasOwn(given, parameter.name) &&
          given[parameter.name] !== undefined,
      )
      .map(({ name }) => [name, given[name]]);
  }
}

function collect(pairs: readonly (readonly [string, string])[]): RouteRequest['query'] {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (typeof before === 'string') query[name] = [before, value];
    else before.push(value);
  }
  return query;
}

/** The path a call by arguments would have had: each value one segment, `{rest*}` as it stands. */
function fill(path: string, values: Values): string {
  return path.replace(/\{(\w+)(\*?)\}/g, (_, name: string, rest: string) => {
    // Half a surrogate pair has no percent-encoding.
    const text = String(values[name] ?? '').replace(/\p{Surrogate}/gu, '\ufffd');
    return rest ? text : encodeURIComponent(text);
  });
}
