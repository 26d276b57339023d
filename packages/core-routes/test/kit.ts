import {
  createRouteTable,
  type EngineRouteOptions,
  type Route,
  type RouteTable,
  toRoute,
} from '@waymark/contract';
import type {
  BodySource,
  Call,
  Dispatcher,
  Engine,
  EngineContext,
  RequestInput,
  RouteResponse,
  Router,
} from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import type { Method, RouteTableOptions } from '@waymark/contract/route';
import { createDispatcher, type DispatcherOptions } from '../src/index.ts';

/** A caller with the given scopes. */
export function caller(...scopes: readonly string[]): Principal {
  return { id: 'ada', rootId: 'ada', authenticated: true, scopes };
}

/** A route over an engine that is one function. */
export function route(
  method: Method,
  path: string,
  options: EngineRouteOptions = {},
  answer: NonNullable<Engine['answer']> = () => 'answered',
): Route {
  return toRoute(method, path, { kind: 'handler', answer }, options);
}

/** A route that answers with its input. */
export function echo(method: Method, path: string, options: EngineRouteOptions = {}): Route {
  return route(method, path, options, ({ input }: EngineContext) => ({ ...input }));
}

/** A body that is there already. */
export function bytesBody(content: string | Uint8Array = '', contentType?: string): BodySource {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    contentType,
    contentLength: bytes.length,
    read: async () => bytes,
    stream: () => new ReadableStream({ start: (controller) => controller.close() }),
  };
}

/** A JSON body. */
export function jsonBody(value: unknown): BodySource {
  return bytesBody(JSON.stringify(value), 'application/json');
}

/** One request as a door would make it. */
export interface Request extends Partial<Omit<RequestInput, 'by' | 'search' | 'params' | 'path'>> {
  readonly query?: string;
  readonly call?: Partial<Call>;
}

/** A table behind a dispatcher, and what a door does in front of it. */
export interface Served {
  readonly table: RouteTable;
  readonly dispatcher: Dispatcher & Router;
  /** Dispatches a request to the route that `path` finds; fails the test when none does. */
  request(method: RequestInput['method'], path: string, request?: Request): Promise<RouteResponse>;
  /** Dispatches the only route, or the one of that name, by arguments. */
  tool(
    values: Readonly<Record<string, unknown>>,
    call?: Partial<Call>,
    name?: string,
  ): Promise<RouteResponse>;
}

/** Serves routes. */
export function serve(
  routes: readonly Route[],
  options: DispatcherOptions = {},
  limits: RouteTableOptions = {},
): Served {
  const table = createRouteTable(routes, limits).freeze();
  const dispatcher = createDispatcher(table, options);
  return {
    table,
    dispatcher,
    request: async (method, path, request = {}) =>
      dispatcher.dispatch(toCall(dispatcher, method, path, request)),
    tool: async (values, call = {}, name) => {
      const found = name === undefined ? [...table][0] : table.get(name);
      if (!found) throw new Error(`no route ${name}`);
      return dispatcher.dispatch({
        route: found,
        input: { by: 'arguments', values },
        principal: caller(),
        via: 'mcp',
        requestId: 'r1',
        ...call,
      });
    },
  };
}

/** The call a door makes of a request. */
export function toCall(
  router: Router,
  method: RequestInput['method'],
  path: string,
  request: Request = {},
): Call {
  const { query = '', call = {}, headers = {}, body: source = bytesBody(), ...rest } = request;
  const match = router.match(method, path, false);
  if (!match.found) throw new Error(`${method} ${path} is ${match.status}`);
  return {
    route: match.route,
    input: {
      by: 'request',
      method,
      path,
      params: match.params,
      headers,
      body: source,
      search: query,
      ...rest,
    },
    principal: caller(),
    via: 'http',
    requestId: 'r1',
    ...call,
  };
}

/** The value of a JSON answer; the problem of another. */
export function answerOf({ status, body: answer }: RouteResponse): unknown {
  if (answer.kind === 'json') return JSON.parse(answer.text);
  return answer.kind === 'problem' ? { status, ...answer } : answer;
}

/** The detail of a problem. */
export function detailOf({ body: answer }: RouteResponse): string {
  if (answer.kind !== 'problem') throw new Error(`the answer is ${answer.kind}`);
  return answer.detail;
}

/** A promise that a test settles. */
export function later<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
