import {
  from,
  HTTPError,
  media,
  type Route,
  type RouteRequest,
  type RouteTable,
  Type,
  toRoute,
} from '@waymark/contract';
import { callSite, nearest } from '@waymark/contract/declaring';
import {
  type Awaitable,
  type Dispatcher,
  type Engine,
  type EngineContext,
  type Log,
  RouteResponse,
} from '@waymark/contract/engine';
import { eventStreamType } from '@waymark/contract/http';
import type { Principal } from '@waymark/contract/principal';
import { createMcp, type Mcp } from './create-mcp.ts';
import type { McpAnswer, McpContext, McpOptions } from './mcp.ts';
import { type ParsedMessage, parseMessage, parseMessagePieces } from './protocol/parse-message.ts';
import { refused } from './protocol/refusal.ts';
import { parseError } from './protocol/rpc-text.ts';
import { type Accepted, readAccept } from './transport/accept.ts';

/** Bytes of a message that is parsed at once: of more it may take tens of milliseconds, and others have turns. */
const smallMessage = 4096;

/**
 * Makes the route `POST {control_prefix}/mcp`, which serves the tools of the table that it is added to. It has no
 * deadline: each tool call has that of its own route. GET and DELETE are not declared, so that they answer 405.
 */
export function mcpRoute(options: McpOptions): Route {
  const mcpOf = keepForEach(options);
  const answerTo = (
    parsed: ParsedMessage,
    context: EngineContext,
    accepted: Accepted,
  ): Awaitable<RouteResponse> => {
    if (!parsed.ok)
      return toResponse(refused(null, { status: parsed.status, code: parseError, message: parsed.rule }));
    const answer = mcpOf(context).handle(parsed.message, new RouteContext(context, accepted));
    return answer instanceof Promise ? answer.then(toResponse) : toResponse(answer);
  };
  const engine: Engine = {
    kind: 'control',
    answer(context) {
      const { headers, query, body } = context.request;
      refuseSlips(query);
      if (!isJson(headers['content-type']))
        throw new HTTPError(415, 'the content type must be application/json');
      const accepted = readAccept(headers['accept']);
      if (!accepted.json && !accepted.events)
        throw new HTTPError(406, 'the answer is application/json or text/event-stream');
      const maxValues = context.table.maxBodyValuesOf(context.route);
      if (body.length <= smallMessage) return answerTo(parseMessage(body, maxValues), context, accepted);
      return context
        .inTurns(parseMessagePieces(body, maxValues, context.body.exclusive))
        .then((parsed) => answerTo(parsed, context, accepted));
    },
  };
  return toRoute('POST', '/mcp', engine, {
    plane: 'control',
    declaredAt: callSite(mcpRoute),
    body: 'bytes',
    input: { tools: from('query', Type.Optional(Type.String(toolsInput))) },
    timeoutMs: Number.POSITIVE_INFINITY,
    cors,
    summary: 'Serves the tools over MCP.',
    description: 'Model Context Protocol: JSON-RPC 2.0 over Streamable HTTP, without sessions.',
    facts: {
      takes: rpcMessage,
      answers: { 200: [rpcMessage, media(eventStreamType)], 202: [] },
      fails: [406],
      client: false,
    },
  });
}

/** A misspelt `?tools=` would serve everything. Other names are of hosts and proxies. @throws {HTTPError} 422 */
function refuseSlips(query: RouteRequest['query']): void {
  for (const name of Object.keys(query ?? {}))
    if (name !== 'tools' && nearest(name, ['tools']) !== undefined)
      throw new HTTPError(422, `/${name} is not known (did you mean "tools"?)`);
}

/**
 * What clients in a page send and read, on all revisions (decision 13.4): what every client needs stands here as well,
 * since an application may list other headers for its own routes. Sessions are never given out, and their header may come.
 */
const cors = {
  headers: [
    ...['content-type', 'authorization', 'x-api-key', 'last-event-id', 'mcp-session-id'],
    ...['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-param-*'],
  ],
  expose: ['www-authenticate'],
};

const rpcMessage = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
    method: Type.Optional(Type.String()),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { description: 'A JSON-RPC message; arrays of them on the older versions of the protocol.' },
);

const toolsInput = { description: 'The only tools to serve, by name, separated by commas.' };

/** One Mcp for each table and dispatcher, made at the first message: a route does not know where it will be mounted. */
function keepForEach(options: McpOptions): (context: Pick<EngineContext, 'table' | 'dispatcher'>) => Mcp {
  const kept = new WeakMap<RouteTable, WeakMap<Dispatcher, Mcp>>();
  return ({ table, dispatcher }) => {
    const known = kept.get(table)?.get(dispatcher);
    if (known) return known;
    const mcp = createMcp({ ...options, table, dispatcher });
    const siblings = kept.get(table) ?? new WeakMap<Dispatcher, Mcp>();
    kept.set(table, siblings.set(dispatcher, mcp));
    return mcp;
  };
}

function isJson(contentType: string | undefined): boolean {
  return (
    contentType === 'application/json' ||
    contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
  );
}

/** What the engine of the route is asked, in the words of `McpContext`. A class, since the signal is made when it is asked for. */
class RouteContext implements McpContext {
  readonly principal: Principal;
  readonly requestId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly streaming: 'never' | 'allowed' | 'only';
  readonly clientAddress?: string;
  readonly tools?: ReadonlySet<string>;
  readonly #engine: EngineContext;

  constructor(engine: EngineContext, { json, events }: Accepted) {
    const { principal, requestId, clientAddress, request, input } = engine;
    this.principal = principal;
    this.requestId = requestId;
    this.headers = request.headers;
    this.streaming = !events ? 'never' : json ? 'allowed' : 'only';
    this.#engine = engine;
    if (clientAddress !== undefined) this.clientAddress = clientAddress;
    const { tools } = input;
    if (typeof tools === 'string') this.tools = new Set(tools.split(',').map((name) => name.trim()));
  }

  get signal(): AbortSignal {
    return this.#engine.signal;
  }

  readonly charge = (cost: number): Awaitable<void> => this.#engine.charge(cost);

  readonly log: Log = (level, message, fields) => this.#engine.log(level, message, fields);
}

function toResponse({ status, body, events, challenge }: McpAnswer): RouteResponse {
  if (events)
    return new RouteResponse(
      status,
      { kind: 'stream', stream: events, mediaType: eventStreamType },
      streamHeaders,
    );
  const headers = challenge === undefined ? {} : { 'www-authenticate': challenge };
  return new RouteResponse(
    status,
    body === undefined ? { kind: 'empty' } : { kind: 'json', text: body },
    headers,
  );
}

/** Nobody on the way may keep events, or hold them back to send them together. */
const streamHeaders = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
