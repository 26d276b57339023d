import { listing, type Route, type RouteTable, type Tool, toTool, type Values } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { closedObject } from './closed-object.ts';

/** Lists the tools of the caller in declaration order, as plain JSON. */
export function toolsRoute(): Route {
  const rows = ({ table, principal }: EngineContext): readonly Values[] =>
    table.tools(principal).map((route) => toToolRow(toTool(route)));
  return listing('tools', rows, { summary: 'Lists the tools that the caller may use.', row: toolRow });
}

/** Lists every route, with the engine that serves it. */
export function routesRoute(): Route {
  const rows = ({ table }: EngineContext): readonly Values[] =>
    [...table].map((route) => toRouteRow(table, route));
  return listing('routes', rows, {
    summary: 'Lists every route with the engine that serves it.',
    row: routeRow,
  });
}

/** A row has these four members; what a tool answers is in the OpenAPI document. */
function toToolRow({ name, description, inputSchema, annotations }: Tool): Values {
  return { name, description, inputSchema, annotations };
}

function toRouteRow(table: RouteTable, route: Route): Values {
  const { method, engine, tool, name, scopes, approval, summary, readOnly, socket } = route;
  return {
    method,
    path: table.pathOf(route),
    engine: engine.kind,
    tool: tool ? name : null,
    scopes,
    approval,
    name,
    summary,
    read_only: readOnly,
    socket,
    input_schema: route.inputSchema,
  };
}

const toolRow = closedObject({
  name: { type: 'string' },
  description: { type: 'string' },
  inputSchema: { type: 'object' },
  annotations: {
    type: 'object',
    properties: {
      readOnlyHint: { type: 'boolean' },
      idempotentHint: { type: 'boolean' },
      destructiveHint: { type: 'boolean' },
      requiresApproval: { type: 'boolean' },
    },
    required: ['readOnlyHint', 'idempotentHint', 'requiresApproval'],
    additionalProperties: false,
  },
});

const routeRow = closedObject({
  method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
  path: { type: 'string' },
  engine: { type: 'string' },
  tool: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  scopes: { type: 'array', items: { type: 'string' } },
  approval: { enum: ['never', 'required'] },
  name: { type: 'string', description: 'As the OpenAPI document has it.' },
  summary: { type: 'string' },
  read_only: { type: 'boolean' },
  socket: { type: 'boolean', description: 'A WebSocket.' },
  input_schema: { type: 'object', description: 'Of all that it takes, wherever that stands in a request.' },
});
