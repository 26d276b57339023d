import {
  createRouteTable,
  type EngineRouteOptions,
  type Route,
  toRoute,
  type Values,
} from '@waymark/contract';
import { type Call, type Dispatcher, jsonResponse, type RouteResponse } from '@waymark/contract/engine';
import { anonymous, type Principal } from '@waymark/contract/principal';
import { createMcp, type McpAnswer, type McpContext, type McpOptions } from '../src/index.ts';

/** Anybody's dispatcher: remembers its calls, and answers what the test says. */
export function answering(
  answer: (call: Call) => unknown,
): Pick<Dispatcher, 'dispatch'> & { readonly calls: Call[] } {
  const calls: Call[] = [];
  return {
    calls,
    async dispatch(call) {
      calls.push(call);
      return (await answer(call)) as RouteResponse;
    },
  };
}

/** A tool whose engine is never asked: the dispatcher of the test answers for it. */
export function tool(name: string, options: EngineRouteOptions = {}): Route {
  const summary = `The tool ${name}.`;
  return toRoute('GET', `/${name}`, { kind: 'handler' }, { tool: true, toolName: name, summary, ...options });
}

/** The values of a call by arguments. */
export function valuesOf({ input }: Call): Values {
  if (input.by !== 'arguments') throw new Error('not a call by arguments');
  return input.values;
}

export function principal(...scopes: readonly string[]): Principal {
  return { id: 'desk', rootId: 'desk', authenticated: true, scopes };
}

/** A server over some tools, asked one message at a time and answered in parsed form. */
export function serve(
  routes: readonly Route[],
  answer: (call: Call) => unknown = () => jsonResponse({}),
  options: Partial<McpOptions> = {},
): {
  readonly calls: readonly Call[];
  handle(message: unknown, context?: Partial<McpContext>): Promise<McpAnswer>;
  send(message: unknown, context?: Partial<McpContext>): Promise<{ status: number; body: Answer }>;
  request(method: string, params?: unknown, context?: Partial<McpContext>): Promise<Answer>;
  call(name: string, values?: unknown, context?: Partial<McpContext>): Promise<ToolAnswer>;
} {
  const dispatcher = answering(answer);
  const mcp = createMcp({
    info: { name: 'desk', version: '1.2.3' },
    ...options,
    table: createRouteTable(routes),
    dispatcher,
  });
  const handle = async (message: unknown, context: Partial<McpContext> = {}) =>
    mcp.handle(message, {
      principal: anonymous(),
      requestId: 'r-1',
      ...context,
    });
  const send = async (message: unknown, context?: Partial<McpContext>) => {
    const { status, body } = await handle(message, context);
    return { status, body: (body === undefined ? undefined : JSON.parse(body)) as Answer };
  };
  const request = async (method: string, params?: unknown, context?: Partial<McpContext>) =>
    (await send({ jsonrpc: '2.0', id: 1, method, ...(params !== undefined && { params }) }, context)).body;
  const call = async (name: string, values?: unknown, context?: Partial<McpContext>) =>
    (await request('tools/call', { name, ...(values !== undefined && { arguments: values }) }, context))
      .result as unknown as ToolAnswer;
  return { calls: dispatcher.calls, handle, send, request, call };
}

/** The `_meta` and the headers that a request of 2026-07-28 carries. */
export function standingAlone(
  method: string,
  params: Values = {},
  more: { readonly meta?: Values; readonly headers?: Readonly<Record<string, string>> } = {},
): { message: Values; headers: Readonly<Record<string, string>> } {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    ...more.meta,
  };
  const name = params['name'];
  return {
    message: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...more.headers,
    },
  };
}

/** A tool as a client sees it. */
export type Listed = Readonly<Record<string, unknown>> & { readonly name: string };

/** The tools of a result of `tools/list`. */
export function toolsOf(result: Answer['result']): readonly Listed[] {
  return (result?.['tools'] ?? []) as readonly Listed[];
}

/** The messages of a stream, and how many signs of life came between them. */
export async function readEvents(
  events: ReadableStream<Uint8Array>,
): Promise<{ readonly messages: readonly Notified[]; readonly keptAlive: number }> {
  let text = '';
  for await (const chunk of events) text += new TextDecoder().decode(chunk);
  const blocks = text.split('\n\n').filter((block) => block !== '');
  const messages = blocks.filter((block) => block.startsWith('event: message\n'));
  return {
    messages: messages.map((block) => JSON.parse(block.replace('event: message\ndata: ', '')) as Notified),
    keptAlive: blocks.filter((block) => block.startsWith(':')).length,
  };
}

/** A notification or a response. */
export type Notified = Answer & {
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
};

/** The headers of a client that opened with `initialize`. */
export function following(protocolVersion: string): { headers: Readonly<Record<string, string>> } {
  return { headers: { 'mcp-protocol-version': protocolVersion } };
}

export interface Answer {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface ToolAnswer {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
}

export function textContent(text: string): { type: 'text'; text: string } {
  return { type: 'text', text };
}
