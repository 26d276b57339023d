import { ask, type Header, type WireAnswer } from '../wire/connection.ts';

/** The revisions that open with `initialize`, oldest first. */
export const legacyRevisions = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** The revision in which every request speaks for itself. */
export const modernRevision = '2026-07-28';

/** All that are served, as the server lists them. */
export const allRevisions: readonly string[] = [modernRevision, ...legacyRevisions.toReversed()];

const meta = 'io.modelcontextprotocol/';

/** What a request of 2026-07-28 has to say about itself. */
export const modernMeta = {
  [`${meta}protocolVersion`]: modernRevision,
  [`${meta}clientInfo`]: { name: 'wire', version: '1.0.0' },
  [`${meta}clientCapabilities`]: {},
} as const;

/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** A request as the older revisions have it. */
export function legacy(method: string, params?: Members, id: unknown = 1): Members {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

/** A request of 2026-07-28. @param params their `_meta` replaces the one that is needed */
export function modern(method: string, params: Members = {}, id: unknown = 1): Members {
  return { jsonrpc: '2.0', id, method, params: { _meta: modernMeta, ...params } };
}

/** The headers that go with a request of 2026-07-28. */
export function modernHeaders(method: string, name?: string): readonly Header[] {
  return [
    ['mcp-protocol-version', modernRevision],
    ['mcp-method', method],
    ...(name === undefined ? [] : [['mcp-name', name] as const]),
  ];
}

/** A running server, and whom to be there. */
export interface Endpoint {
  readonly port: number;
  readonly key?: string;
}

/** An answer, and its body read as JSON. */
export interface McpAnswer extends WireAnswer {
  /** Undefined for an empty body. */
  readonly json: unknown;
}

/** Posts a message over a connection of its own. @param message text is sent as it stands */
export async function post(
  { port, key }: Endpoint,
  message: unknown,
  headers: readonly Header[] = [],
): Promise<McpAnswer> {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const usual: readonly Header[] = [
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
    ...(key === undefined ? [] : [['x-api-key', key] as const]),
  ];
  const answer = await ask(port, {
    method: 'POST',
    target: '/_svc/mcp',
    // An empty value takes a usual header away.
    headers: [...usual.filter(([name]) => !names.has(name)), ...headers.filter(([, value]) => value !== '')],
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  return { ...answer, json: answer.body === '' ? undefined : JSON.parse(answer.body) };
}

/** Posts a request of 2026-07-28 with the headers it needs. */
export function postModern(
  endpoint: Endpoint,
  method: string,
  params: Members = {},
  headers: readonly Header[] = [],
): Promise<McpAnswer> {
  const { name } = params;
  const own = new Set(headers.map(([header]) => header));
  const needed = modernHeaders(method, typeof name === 'string' ? name : undefined);
  return post(endpoint, modern(method, params), [
    ...needed.filter(([header]) => !own.has(header)),
    ...headers,
  ]);
}

/** The error of an answer. */
export function error(code: number): { readonly error: { readonly code: number } } {
  return { error: { code } };
}
