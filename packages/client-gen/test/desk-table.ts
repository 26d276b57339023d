import {
  createRouteTable,
  type EngineRouteOptions,
  type Route,
  type RouteTable,
  Type,
} from '@waymark/contract';
import type { EngineKind } from '@waymark/contract/route';
import { runAnswerRoute, runStepSchema } from '@waymark/contract/runs';
import { route } from './rich-table.ts';

const envelope = (output: object): object =>
  Type.Object(
    {
      run_id: Type.String(),
      status: Type.Union(['completed', 'awaiting_approval'].map((status) => Type.Literal(status))),
      output,
      steps: Type.Array(runStepSchema),
      pending_approvals: Type.Optional(Type.Array(Type.Object({ approval_id: Type.String() }))),
    },
    { title: 'Envelope' },
  );

/** The two routes of something that starts runs. */
export function runnable(
  kind: EngineKind,
  name: string,
  path: string,
  options: EngineRouteOptions,
): readonly Route[] {
  const { output = {} } = options;
  return [
    route('POST', path, { toolName: name, tool: true, progress: true, ...options }, kind),
    runAnswerRoute({ name, exposeAt: path, exposeScopes: [], declaredAt: 'desk-table.ts:1', output }),
  ];
}

const answers = { 200: envelope(Type.String()), 202: envelope(Type.String()) };

/** Agents, behaviours and flows as their packages declare them, but for their engines; and a route that is none. */
export function deskTable(): RouteTable {
  return createRouteTable([
    route('POST', '/tickets', { input: { title: Type.String() }, output: { 201: Type.String() } }),
    ...runnable('agent', 'support', '/agents/support', {
      input: {
        input: Type.String(),
        session_id: Type.Optional(Type.String()),
        stream: Type.Optional(Type.Boolean()),
      },
      output: answers,
    }),
    ...runnable('agent', 'front-desk', '/agents/front-desk', {
      input: { input: Type.String() },
      output: answers,
    }),
    ...runnable('behaviour', 'sweep', '/behaviours/sweep', {
      input: { days: Type.Optional(Type.Integer()) },
      output: {
        200: Type.Object({ closed: Type.Integer() }, { title: 'Swept' }),
        202: envelope(Type.Null()),
      },
    }),
    ...runnable('behaviour', 'count', '/behaviours/count', { input: { of: Type.String() } }),
    ...runnable('flow', 'triage', '/flows/triage', {
      input: Type.Object({ input: Type.Optional(Type.String()) }, { additionalProperties: true }) as never,
      output: answers,
    }),
  ]);
}
