import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiKey, createAuthenticate } from '@waymark/auth';
import { createRouteTable, type Json, type Route } from '@waymark/contract';
import type { AuditEvent } from '@waymark/contract/stores';
import { controlRule } from '@waymark/control-plane';
import { createDispatcher, createIds } from '@waymark/core-routes';
import { createDoor } from '@waymark/http';
import { mcpRoute } from '@waymark/mcp';

/** An HTTP answer, read. */
export interface HttpAnswer {
  readonly status: number;
  /** Without parameters. */
  readonly contentType: string | undefined;
  readonly text: string;
}

/** What came of one use of a tool, as a caller and as the audit log see it. */
export interface Outcome {
  readonly answer: HttpAnswer;
  readonly events: readonly AuditEvent[];
}

/** A table behind a listening server, made of the packages alone. */
export interface TwoDoors {
  /** Sends one request. Nothing is normalised on the way. */
  byHttp(route: Route, values: Readonly<Record<string, Json>>, key?: string): Promise<Outcome>;
  /** Sends `tools/call`. */
  byMcp(route: Route, values: Readonly<Record<string, Json>>, key?: string): Promise<Outcome>;
  close(): Promise<void>;
}

/** Serves routes over a real socket, to REST and MCP callers alike; `keys` maps secrets to scopes. */
export async function serveTwoDoors(
  routes: readonly Route[],
  keys: Readonly<Record<string, readonly string[]>>,
): Promise<TwoDoors> {
  const events: AuditEvent[] = [];
  const table = createRouteTable([...routes, mcpRoute({ info: { name: 'doors', version: '1' } })]).freeze();
  // MCP is open to everybody here: what a caller may do is then the business of the routes alone.
  const rule = controlRule({ authenticated: true, mcpScopes: [] });
  const dispatcher = createDispatcher(table, { controlRule: rule, emit: (event) => events.push(event) });
  const secrets = Object.keys(keys);
  const declarations = secrets.map((secret) =>
    apiKey(secret, `id-${secret}`, { scopes: keys[secret] ?? [] }),
  );
  const door = createDoor({
    dispatcher,
    controlRule: rule,
    controlPrefix: table.controlPrefix,
    authenticate: createAuthenticate(declarations, (name) => name),
    newId: createIds(),
  });
  const server = createServer(door.listener());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true });
  const { port } = server.address() as AddressInfo;

  const send = async (
    method: string,
    path: string,
    body: Json | undefined,
    key: string | undefined,
  ): Promise<Outcome> => {
    const headers = {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const outgoing = request({ port, host: '127.0.0.1', method, path, headers, agent });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const answer = {
      status: incoming.statusCode ?? 0,
      contentType: incoming.headers['content-type']?.split(';', 1)[0],
      text: Buffer.concat(chunks).toString(),
    };
    return { answer, events: events.splice(0) };
  };
  return {
    byHttp: (route, values, key) => send(route.method, toTarget(route, values), toBody(route, values), key),
    byMcp: ({ name }, values, key) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } };
      return send('POST', `${table.controlPrefix}/mcp`, message, key);
    },
    async close() {
      agent.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Path and query of a request that carries the values where the route wants them. */
function toTarget({ path, parameters }: Route, values: Readonly<Record<string, Json>>): string {
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const query = parameters.flatMap(({ name, place }) => {
    const value = values[name];
    if (place !== 'query' || value === undefined) return [];
    const items = Array.isArray(value) ? (value as readonly Json[]) : [value];
    return items.map((item) => `${name}=${encodeURIComponent(String(item))}`);
  });
  return query.length > 0 ? `${target}?${query.join('&')}` : target;
}

function toBody({ body, parameters }: Route, values: Readonly<Record<string, Json>>): Json | undefined {
  if (body !== 'json') return undefined;
  const content = parameters.find(({ place }) => place === 'content');
  if (content) return values[content.name];
  const elsewhere = new Set(parameters.filter(({ place }) => place !== 'body').map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !elsewhere.has(name)));
}
