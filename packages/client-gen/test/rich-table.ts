import {
  createRouteTable,
  type EngineRouteOptions,
  from,
  media,
  type Route,
  type RouteTable,
  Type,
  toRoute,
} from '@waymark/contract';
import type { Engine } from '@waymark/contract/engine';
import type { EngineKind, Method } from '@waymark/contract/route';

const runKinds = ['agent', 'behaviour', 'flow'] as const;

/** A route of any engine, for tables that are projected and never run. */
export function route(
  method: Method,
  path: string,
  options: EngineRouteOptions = {},
  kind: EngineKind = 'handler',
): Route {
  const startsRun = runKinds.find((one) => one === kind);
  const engine: Engine = { kind, ...(startsRun && { durability: 'run' }) };
  return toRoute(method, path, engine, {
    declaredAt: 'rich-table.ts:1',
    ...(startsRun && { facts: { startsRun } }),
    ...options,
  });
}

const Ticket = {
  type: 'object',
  title: 'Ticket',
  description: 'A question of a customer',
  properties: {
    id: { type: 'integer' },
    title: { type: 'string', description: 'One line, no more.' },
    urgent: { type: 'boolean' },
    state: { enum: ['open', 'waiting', "customer's turn", null] },
    assignee: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    'due-date': { type: 'string', format: 'date' },
  },
  required: ['id', 'title', 'urgent', 'state'],
} as const;

const Tree = Type.Cyclic(
  { Node: Type.Object({ value: Type.String(), children: Type.Array(Type.Ref('Node')) }) },
  'Node',
);

const Envelope = {
  type: 'object',
  properties: {
    run_id: { type: 'string' },
    status: {
      enum: [
        'completed',
        'max_tokens',
        'step_limit',
        'budget_exhausted',
        'awaiting_approval',
        'failed',
        'cancelled',
      ],
    },
    output: { type: 'string' },
    usage: {
      type: 'object',
      properties: { steps: { type: 'integer' }, cost_usd: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
      required: ['steps'],
    },
  },
  required: ['run_id', 'status'],
};

/** A table with every form that a route can have. */
export function richTable(): RouteTable {
  return createRouteTable([
    route('GET', '/tickets/{id}/summary', {
      input: {
        id: { type: 'integer' },
        style: { type: 'string', default: 'short' },
        tags: Type.Optional({ type: 'array', items: { type: 'string' } }),
      },
      output: {
        200: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        404: { type: 'object', properties: { title: { type: 'string' } } },
      },
      summary: 'Summarises a ticket.\n\nIn one */ paragraph.',
      scopes: ['tickets:read'],
      tool: true,
    }),
    route(
      'GET',
      '/tickets',
      {
        input: {
          limit: { type: 'integer', default: 50 },
          urgent: Type.Optional({ type: 'boolean' }),
          assignee: Type.Optional({ type: ['string', 'null'] }),
        },
        output: { type: 'array', items: Ticket },
      },
      'resource',
    ),
    route(
      'POST',
      '/tickets',
      {
        input: {
          title: { type: 'string' },
          urgent: { type: 'boolean', default: false },
          lines: Type.Optional({
            type: 'array',
            items: {
              type: 'object',
              properties: { sku: { type: 'string' }, count: { type: 'integer' } },
              required: ['sku'],
            },
          }),
        },
        output: { 201: Ticket },
      },
      'resource',
    ),
    route(
      'PATCH',
      '/tickets/{id}',
      {
        input: {
          id: { type: 'integer' },
          title: Type.Optional({ type: ['string', 'null'] }),
          notify: from('query', Type.Optional({ type: 'boolean' })),
        },
        output: Ticket,
      },
      'resource',
    ),
    route('DELETE', '/tickets/{id}', { input: { id: { type: 'integer' } }, output: { 204: {} } }, 'resource'),
    route('PUT', '/import', {
      input: { rows: from('content', { type: 'array', items: Ticket }) },
      output: {
        200: { type: 'object', properties: { done: { type: 'integer' } }, required: ['done'] },
        202: Envelope,
        204: {},
      },
      progress: true,
    }),
    route('POST', '/contacts/{owner}', {
      input: {
        type: 'object',
        properties: {
          owner: { type: 'string' },
          email: { type: 'string' },
          address: { $ref: '#/$defs/Address' },
          more: { type: 'object', additionalProperties: { type: 'number' } },
          scores: {
            type: 'object',
            propertyNames: { type: 'string', enum: ['speed', 'tone'] },
            additionalProperties: { type: 'integer' },
            required: ['speed', 'tone'],
          },
        },
        required: ['owner', 'email'],
        additionalProperties: false,
        $defs: {
          Address: {
            type: 'object',
            properties: { street: { type: 'string' }, next: { $ref: '#/$defs/Address' } },
            required: ['street'],
          },
        },
      },
      output: {
        200: {
          allOf: [Ticket, { type: 'object', properties: { extra: { const: 'yes' } }, required: ['extra'] }],
        },
      },
    }),
    route('POST', '/trees', {
      input: {
        tree: Tree,
        point: Type.Tuple([Type.Number(), Type.Number()]),
      },
      output: Tree,
    }),
    route('GET', '/files/{path*}', { output: { 200: media('application/octet-stream') } }),
    route('GET', '/report.csv', { output: { 200: media('text/csv; charset=utf-8') } }),
    route('POST', '/upload/{body}', {
      body: 'bytes',
      input: { note: from('query', Type.Optional({ type: 'string' })) },
      output: { 200: { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] } },
    }),
    route(
      'POST',
      '/door/frames',
      {
        body: 'source',
        output: {
          202: {
            type: 'object',
            properties: { device: { type: 'string' }, seq: { type: 'integer' } },
            required: ['device', 'seq'],
          },
        },
      },
      'device',
    ),
    route('GET', '/nothing-declared', {}),
    route('GET', '/door/stream', { socket: true }, 'device'),
    route('GET', '/page', { facts: { client: false } }, 'page'),
    route('GET', '/assets/{path*}', { facts: { client: false } }, 'files'),
    route(
      'POST',
      '/agents/guard',
      {
        input: { input: { type: 'string' }, session_id: Type.Optional({ type: 'string' }) },
        output: { 200: Envelope, 202: Envelope },
        toolName: 'guard',
        progress: true,
      },
      'agent',
    ),
    route('POST', '/behaviours/free', { strict: false, body: 'json', toolName: 'free-form' }, 'behaviour'),
    route('GET', '/weather/{city}', { strict: false, timeoutMs: 5_000 }, 'proxy'),
    route('GET', '/union', {
      output: {
        oneOf: [
          {
            type: 'object',
            properties: {
              kind: { const: 'a' },
              deep: {
                type: 'array',
                items: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
              },
            },
            required: ['kind'],
          },
          {
            type: 'object',
            properties: { kind: { const: 'b' } },
            required: ['kind'],
            additionalProperties: { type: 'integer' },
          },
          { type: 'null' },
        ],
      },
    }),
    route(
      'GET',
      '/health',
      {
        plane: 'control',
        output: { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] },
      },
      'control',
    ),
    route(
      'POST',
      '/approvals/{id}',
      {
        plane: 'control',
        input: { approve: { type: 'boolean' }, note: Type.Optional({ type: 'string' }) },
        timeoutMs: 600_000,
      },
      'control',
    ),
    route('GET', '/openapi.json', { plane: 'control', facts: { client: false } }, 'control'),
    route('POST', '/mcp', { plane: 'control', body: 'source', facts: { client: false } }, 'control'),
  ]);
}
