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
  toRoute,
  type Values,
} from '@waymark/contract';

const input = { input: { type: 'string' } };

/** A tool call of a run: made with the authority of the run, not with the caller's. */
export function call(
  context: EngineContext,
  scope: RunScope,
  tool: string,
  values: Values,
  after?: Promise<unknown>,
): Promise<ToolResult> {
  const route = context.table.tool(tool);
  if (!route) throw new HTTPError(500, `unknown tool ${tool}`);
  return callTool(context.dispatcher, {
    route,
    arguments: values,
    principal: scope.principal,
    via: context.route.engine.kind === 'flow' ? 'flow' : 'agent',
    requestId: context.requestId,
    deadlineMs: context.deadlineMs,
    signal: scope.signal,
    scope,
    ...(after && { after }),
  });
}

/** Calls the tools in a row, each with the value of the one before as `input`. */
export function flowRoute(name: string, tools: readonly string[], scopes: readonly string[]): Route {
  return toRoute(
    'POST',
    `/flows/${name}`,
    {
      kind: 'flow',
      durability: 'run',
      answer: async (context) => {
        const spec = { kind: 'flow', name, codeVersion: tools.join('>'), scopes, tokenBudget: null } as const;
        const outcome = await context.openRun(spec, async (scope) => {
          let value = context.input['input'] as Json;
          for (const tool of tools) {
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

/** One model step, in the journal, and then the turn. */
export function agentRoute(name: string, scopes: readonly string[], turn: Turn): Route {
  return toRoute(
    'POST',
    `/agents/${name}`,
    {
      kind: 'agent',
      durability: 'run',
      answer: async (context) => {
        const spec = { kind: 'agent', name, codeVersion: '1', scopes, tokenBudget: null } as const;
        const question = String(context.input['input']);
        const outcome = await context.openRun(spec, async (scope) => ({
          status: 'completed',
          value: await turn(context, scope, question),
        }));
        return answerOf(context, outcome);
      },
    },
    { tool: true, toolName: name, placement: 'owner', input },
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
