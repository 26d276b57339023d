import { listing, type Route, type Tool, toTool, type Values } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { closedObject } from './closed-object.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import type { SecurityFacts } from './security/facts.ts';
import { neededScopes } from './security/surface.ts';

/** Lists the tools of the caller in declaration order, as plain JSON. */
export function toolsRoute(): Route {
  const rows = ({ table, principal }: EngineContext): readonly Values[] =>
    table.tools(principal).map((route) => toToolRow(toTool(route)));
  return listing('tools', rows, { summary: 'Lists the tools that the caller may use.', row: toolRow });
}

/** Lists every route, with the engine that serves it, and what a caller needs for it. */
export function routesRoute({ security }: Pick<ControlPlaneOptions, 'security'>): Route {
  const rows = ({ table }: EngineContext): readonly Values[] => {
    const facts = security?.(table) ?? { table };
    return [...table].map((route) => toRouteRow(facts, route));
  };
  return listing('routes', rows, {
    summary: 'Lists every route with the engine that serves it.',
    row: routeRow,
  });
}

/** A row has these four members; what a tool answers is in the OpenAPI document. */
function toToolRow({ name, description, inputSchema, annotations }: Tool): Values {
  return { name, description, inputSchema, annotations };
}

function toRouteRow(facts: SecurityFacts, route: Route): Values {
  const { method, engine, tool, name, approval, summary, readOnly, socket } = route;
  const scopes = [...new Set(neededScopes(facts, route))];
  return {
    method,
    path: facts.table.pathOf(route),
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
  scopes: { type: 'array', items: { type: 'string' }, description: 'What a caller holds, all of it.' },
  approval: { enum: ['never', 'required'] },
  name: { type: 'string', description: 'As the OpenAPI document has it.' },
  summary: { type: 'string' },
  read_only: { type: 'boolean' },
  socket: { type: 'boolean', description: 'A WebSocket.' },
  input_schema: { type: 'object', description: 'Of all that it takes, wherever that stands in a request.' },
});
