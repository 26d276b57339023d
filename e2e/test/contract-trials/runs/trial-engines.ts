/** Two drivers that know the contract only: a flow that calls tools in a row, and an agent whose model is a function. */
import {
  callTool,
  type EngineContext,
  HTTPError,
  type Json,
  type Route,
  type RouteResponse,
  type RunOutcome,
  type RunScope,
  reply,
  type ToolResult,
  Type,
  toRoute,
  type Values,
} from '@waymark/contract';

const input = { input: Type.String() };
const sessionInput = { session_id: Type.Optional(Type.String()), reset: Type.Optional(Type.Boolean()) };
const unlimited = { tokenBudget: null, maxSteps: null };

/** A tool call of a run: made with the authority of the run, not with the caller's. */
export function call(
  context: EngineContext,
  scope: RunScope,
  tool: string,
  values: Values,
  more: { readonly after?: Promise<unknown>; readonly reason?: string } = {},
): Promise<ToolResult> {
  const route = context.table.tool(tool);
  if (!route) throw new HTTPError(500, `unknown tool ${tool}`);
  return callTool(context.dispatcher, {
    route,
    arguments: values,
    via: context.route.engine.kind === 'flow' ? 'flow' : 'agent',
    requestId: context.requestId,
    deadlineMs: context.deadlineMs,
    scope,
    ...more,
  });
}

/** Calls the tools in a row, each with the value of the one before as `input`. A stored run keeps to its row. */
export function flowRoute(name: string, tools: readonly string[], scopes: readonly string[]): Route {
  return toRoute(
    'POST',
    `/flows/${name}`,
    {
      kind: 'flow',
      durability: 'run',
      answer: async (context) => {
        const own = { kind: 'flow', name, codeVersion: '1', scopes, ...unlimited } as const;
        const outcome = await context.openRun({ ...own, definition: [...tools] }, async (scope) => {
          let value = context.input['input'] as Json;
          // The definition of this very flow.
          for (const tool of scope.definition as readonly string[]) {
            const result = await call(context, scope, tool, { input: value });
            if (!result.ok) throw new HTTPError(502, `step ${tool} failed: ${result.message}`);
            value = result.value;
          }
          return { status: 'completed', value };
        });
        return answerOf(context, outcome);
      },
    },
    { tool: true, toolName: name, placement: 'owner', input },
  );
}

/** What stands for the model: looks at the question and calls tools. */
export type Turn = (context: EngineContext, scope: RunScope, question: string) => Promise<Json>;

/** A turn, as a part of a conversation when it is called with a session. */
export function agentRoute(name: string, scopes: readonly string[], turn: Turn): Route {
  return toRoute(
    'POST',
    `/agents/${name}`,
    {
      kind: 'agent',
      durability: 'run',
      answer: async (context) => {
        const { input: question, session_id: id, reset } = context.input;
        const key = `${name}:${context.principal.rootId}:${String(id)}`;
        const session = id === undefined ? {} : { session: { key, reset: reset === true } };
        const spec = { kind: 'agent', name, codeVersion: '1', scopes, ...unlimited, ...session } as const;
        const outcome = await context.openRun(spec, async (scope) => {
          const value = await turn(context, scope, String(question));
          return { status: 'completed', value, session: { messages: [String(question), value] } };
        });
        return answerOf(context, outcome);
      },
    },
    { tool: true, toolName: name, placement: 'owner', input: { ...input, ...sessionInput } },
  );
}

/** A waiting root is 202 and says where its answer will be; a child never gets here while it waits. */
function answerOf(
  { request }: EngineContext,
  outcome: RunOutcome<Json>,
): RouteResponse | Json | ReturnType<typeof reply> {
  const { runId, status } = outcome;
  if (status === 'cancelled') return { run_id: runId, status };
  if (status !== 'awaiting_approval') return outcome.value;
  const pending = outcome.approvals.map(({ approvalId, tool, path }) => ({
    approval_id: approvalId,
    tool,
    path,
  }));
  return reply(
    202,
    { run_id: runId, status, pending_approvals: pending },
    { location: `${request.path}/runs/${runId}` },
  );
}

/** The answer of a run, for the one who started it, where its `location` says. */
export function answerRoute(of: Route): Route {
  return toRoute(
    'GET',
    `${of.path}/runs/{run_id}`,
    { kind: 'handler', answer: (context) => context.readRun(String(context.input['run_id']), of.name) },
    { input: { run_id: Type.String() } },
  );
}
