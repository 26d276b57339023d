import { toRoute } from '@waymark/contract';
import {
  type Awaitable,
  type Call,
  type Dispatcher,
  jsonResponse,
  type Peer,
  problemResponse,
  type RequestInput,
  type RouteResponse,
  type Router,
} from '@waymark/contract/engine';
import type { Method, RouteCors } from '@waymark/contract/route';

/** One path of a fake table. */
export interface FakeRoute {
  readonly method: Method;
  readonly path: string;
  readonly answer?: (call: Call & { readonly input: RequestInput }) => Awaitable<RouteResponse>;
  /** Makes the route a socket. */
  readonly accept?: (peer: Peer, call: Call) => void;
  readonly maxMessageBytes?: number;
  /** Said by the route; nobody is held to them but by `answer`. */
  readonly scopes?: readonly string[];
  /** Makes the route one that reports progress. */
  readonly progress?: boolean;
  /** What it says of its answers. */
  readonly output?: object;
  /** What pages of other origins need of it. */
  readonly cors?: RouteCors;
}

/** A dispatcher over exact paths, which does nothing but what a test says, and keeps the calls it was given. */
export interface FakeDispatcher extends Dispatcher, Router {
  readonly calls: Call[];
}

export function fakeDispatcher(fakes: readonly FakeRoute[]): FakeDispatcher {
  const rows = fakes.map((fake) => ({
    fake,
    route: toRoute(
      fake.method,
      fake.path,
      { kind: 'handler' },
      {
        socket: fake.accept !== undefined,
        progress: fake.progress ?? false,
        scopes: fake.scopes ?? [],
        ...(fake.output && { output: fake.output }),
        ...(fake.cors && { cors: fake.cors }),
      },
    ),
  }));
  const rowOf = (call: Call) => rows.find(({ route }) => route === call.route)?.fake;
  const calls: Call[] = [];
  return {
    calls,
    match(method, path, upgrade) {
      if (/%(?![0-9a-f]{2})/i.test(path)) return { found: false, status: 400, allow: [] };
      const here = rows.filter(({ fake }) => fake.path === path);
      const wanted = method === 'HEAD' ? 'GET' : method;
      const row = here.find(({ route }) => route.method === wanted && route.socket === upgrade);
      if (row) return { found: true, route: row.route, params: {} };
      if (here.length === 0) return { found: false, status: 404, allow: [] };
      const allow = here.filter(({ route }) => !route.socket).map(({ route }) => route.method);
      if (allow.length === 0) return { found: false, status: 426, allow: ['GET'] };
      return { found: false, status: upgrade ? 400 : 405, allow: [...allow, 'OPTIONS'] };
    },
    async dispatch(call) {
      calls.push(call);
      return (await rowOf(call)?.answer?.(call as Call & { input: RequestInput })) ?? jsonResponse('ok');
    },
    async upgrade(call) {
      calls.push(call);
      const { accept, answer, maxMessageBytes = 1024 } = rowOf(call) ?? {};
      if (answer) return { ok: false, response: await answer(call as Call & { input: RequestInput }) };
      if (!accept) return { ok: false, response: problemResponse(404, 'no socket') };
      return { ok: true, maxMessageBytes, accept: (peer) => accept(peer, call) };
    },
  };
}
