import {
  createRouteTable,
  HTTPError,
  type Json,
  type Route,
  type RouteTable,
  type Values,
} from '@waymark/contract';
import {
  type Body,
  type BodySource,
  type EngineContext,
  type Host,
  jsonResponse,
  type Peer,
  RouteResponse,
  toDetail,
  toErrorResponse,
} from '@waymark/contract/engine';
import { holds, type Principal, scopeRefusal } from '@waymark/contract/principal';
import { validateValue } from '@waymark/contract/schema';
import { type MemoryPeer, memoryPeer, type TestHost, testHost } from '@waymark/contract/testing';
import { onTestFinished } from 'vitest';
import { type DeviceDeclaration, type DeviceHubOptions, deviceHub } from '../src/index.ts';

/** Holds every scope that devices ask for by default. */
export const ada: Principal = {
  id: 'ada',
  rootId: 'ada',
  authenticated: true,
  scopes: ['devices:ingest', 'devices:read'],
};

/** A body that tells whether anybody read it. */
export interface TestBody extends BodySource {
  readonly read: BodySource['read'];
  readonly asked: boolean;
}

/** How a route is asked. */
export interface AskOptions {
  readonly body?: string | Uint8Array | BodySource;
  readonly principal?: Principal;
  readonly clientAddress?: string;
  readonly signal?: AbortSignal;
  /** Of its parameters; the path is then that of the template. */
  readonly input?: Values;
}

/** What came back, its JSON read. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly value: Json | undefined;
  readonly detail: string | undefined;
}

/** A hub at work, asked by method and path the way a dispatcher does. */
export interface ServedHub {
  readonly host: TestHost;
  readonly table: RouteTable;
  readonly plugin: ReturnType<typeof deviceHub>;
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
  /** @param target path and query @throws {HTTPError} the refusal before the 101 */
  open(target: string, options?: AskOptions & { readonly peer?: MemoryPeer }): Promise<MemoryPeer>;
  listing(): Promise<readonly Values[]>;
}

/**
 * Puts declarations to work the way an application does: checked, in a frozen table, started.
 *
 * @param parts of the host, in place of those of tests
 */
export async function serveHub(
  declarations: readonly DeviceDeclaration[],
  options: DeviceHubOptions = {},
  parts: Partial<Host> = {},
): Promise<ServedHub> {
  const plugin = deviceHub(declarations, options);
  const table = createRouteTable(plugin.routes).freeze();
  const host = testHost({ table, ...parts });
  const problems = plugin.check?.({ table, env: host.env }) ?? [];
  if (problems.length > 0) throw new Error(problems.map(({ rule }) => rule).join());
  await plugin.start?.(host);
  onTestFinished(() => plugin.stop?.());
  const contextOf = (route: Route, input: Values, asked: AskOptions): EngineContext => {
    const { principal = ada, clientAddress, body = '', signal = new AbortController().signal } = asked;
    const log = host.log;
    const source = isSource(body) ? body : bodyOf(body);
    // The engines of this package read these members of their context and no other.
    const { method } = route;
    const request = { method };
    return {
      ...{ route, principal, clientAddress, request, input, body: source, signal, log },
    } as unknown as EngineContext;
  };
  const admit = (route: Route, via: 'http' | 'socket', asked: AskOptions): void => {
    const { principal = ada, clientAddress } = asked;
    const call = { route, via, principal, clientAddress } as Parameters<
      NonNullable<typeof plugin.guards>[0]
    >[0];
    for (const guard of plugin.guards ?? []) {
      const refusal = guard(call);
      if (refusal) throw refusal;
    }
    if (!holds(principal, route.scopes)) throw scopeRefusal(principal, route.scopes);
  };
  return {
    host,
    table,
    plugin,
    async ask(method, path, asked = {}) {
      const route = [...table].find((one) => one.path === path && one.method === method && !one.socket);
      if (!route) return read(toErrorResponse(new HTTPError(404, 'nothing is served at this path')));
      try {
        admit(route, 'http', asked);
        const value = await route.engine.answer?.(contextOf(route, asked.input ?? {}, asked));
        return read(value instanceof RouteResponse ? value : jsonResponse(value));
      } catch (error) {
        if (!(error instanceof HTTPError)) throw error;
        return read(toErrorResponse(error));
      }
    },
    async open(target, { peer = memoryPeer(), ...asked } = {}) {
      const url = new URL(target, 'http://hub');
      const route = [...table].find((one) => one.path === url.pathname && one.socket);
      if (!route) throw new HTTPError(404, 'nothing is served at this path');
      admit(route, 'socket', asked);
      const input = inputOf(route, url.searchParams);
      await accept(route, peer, contextOf(route, input, asked));
      return peer;
    },
    async listing() {
      const route = [...table].find((one) => one.plane === 'control');
      const value = await route?.engine.answer?.({} as EngineContext);
      return (value as { readonly devices: readonly Values[] }).devices;
    },
  };
}

/** The records of one type that a peer was sent. */
export function recordsOf(peer: MemoryPeer, type: string): readonly Values[] {
  return peer.records.filter((record): record is Values => (record as Values)['type'] === type);
}

/** A body as a door has it, of the length it declares. */
export function bodyOf(content: string | Uint8Array): TestBody {
  return bodyOfLength(content, Buffer.byteLength(content));
}

/** A body that comes in pieces: nobody knows how long it will be. */
export function chunked(content: string | Uint8Array): TestBody {
  return bodyOfLength(content, undefined);
}

/** A body that declares a length and never comes. */
export function declared(length: number): TestBody {
  return bodyOfLength('', length);
}

function bodyOfLength(content: string | Uint8Array, length: number | undefined): TestBody {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  let asked = false;
  return {
    contentType: undefined,
    contentLength: length,
    get asked() {
      return asked;
    },
    read: async (limit) => {
      asked = true;
      if (bytes.length > limit) throw new HTTPError(413, `the body is larger than ${limit} bytes`);
      return bytes;
    },
    stream: () => new Blob([Buffer.from(bytes)]).stream(),
  };
}

async function accept(route: Route, peer: Peer, context: EngineContext): Promise<void> {
  // A dispatcher accepts in a later turn.
  await Promise.resolve();
  await route.engine.accept?.(peer, context);
}

/** Coerces what schemas of this package are made of: numbers and words. */
function inputOf(route: Route, query: URLSearchParams): Values {
  const unknown = [...query.keys()].find((name) => !route.parameters.some((one) => one.name === name));
  if (unknown !== undefined && route.strictQuery) throw new HTTPError(422, `/${unknown} is not known`);
  const input = Object.fromEntries(
    route.parameters.flatMap(({ name, schema }) => {
      const text = query.get(name);
      if (text === null) return [];
      return [[name, 'type' in schema && schema.type === 'number' ? Number(text) : text]];
    }),
  );
  const errors = validateValue(route.inputSchema, input);
  if (errors.length > 0) throw new HTTPError(422, toDetail(errors), { errors });
  return input;
}

function isSource(body: string | Uint8Array | BodySource): body is BodySource {
  return typeof body === 'object' && 'read' in body;
}

function read({ status, headers, body }: RouteResponse): Answer {
  return {
    ...{ status, body },
    // Nothing here sets cookies, of which alone there may be several.
    headers: headers as Answer['headers'],
    value: body.kind === 'json' ? (JSON.parse(body.text) as Json) : undefined,
    detail: body.kind === 'problem' ? body.detail : undefined,
  };
}
