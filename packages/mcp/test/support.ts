import {
  anonymous,
  type Call,
  createRouteTable,
  type Dispatcher,
  type EngineRouteOptions,
  jsonResponse,
  type Principal,
  type Route,
  type RouteResponse,
  toRoute,
  type Values,
} from '@waymark/contract';
import { createMcp, type McpContext, type McpOptions } from '../src/index.ts';

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
  const send = async (message: unknown, context: Partial<McpContext> = {}) => {
    const { status, body } = await mcp.handle(message, {
      principal: anonymous(),
      requestId: 'r-1',
      ...context,
    });
    return { status, body: (body === undefined ? undefined : JSON.parse(body)) as Answer };
  };
  const request = async (method: string, params?: unknown, context?: Partial<McpContext>) =>
    (await send({ jsonrpc: '2.0', id: 1, method, ...(params !== undefined && { params }) }, context)).body;
  const call = async (name: string, values?: unknown, context?: Partial<McpContext>) =>
    (await request('tools/call', { name, ...(values !== undefined && { arguments: values }) }, context))
      .result as unknown as ToolAnswer;
  return { calls: dispatcher.calls, send, request, call };
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
