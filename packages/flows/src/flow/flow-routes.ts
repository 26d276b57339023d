import { HTTPError, type Json, type Reply, type Route, reply, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import {
  answerInside,
  isWaiting,
  RunFailed,
  type RunOutcome,
  type RunSpec,
  runAnswerRoute,
  runFacts,
  toWireWaiting,
} from '@waymark/contract/runs';
import { toRunPlan } from '../run/flow-plan.ts';
import type { FlowParts } from '../run/flow-work.ts';
import { runFlow } from '../run/run-flow.ts';
import { flowResult, toEnvelope } from './flow-result.ts';
import { type FlowSettings, openInput } from './flow-settings.ts';

/** The routes of a flow: one that runs it, and one that gives a run's answer later. */
export function flowRoutes(settings: FlowSettings, parts: FlowParts): readonly Route[] {
  const { name, exposeAt, exposeScopes, description, tool, inputSchema, declaredAt } = settings;
  const output = { 200: flowResult, 202: flowResult };
  return [
    toRoute(
      'POST',
      exposeAt,
      { kind: 'flow', durability: 'run', answer: (context) => answer(settings, parts, context) },
      {
        ...{ tool, toolName: name, scopes: exposeScopes, declaredAt },
        ...(description !== '' && { summary: description }),
        ...{ placement: 'owner', progress: true },
        ...{ input: inputSchema ?? openInput, output },
        facts: { ...runFacts, startsRun: 'flow', describedBy: 'write a description' },
      },
    ),
    runAnswerRoute({ name, exposeAt, exposeScopes, declaredAt, output }),
  ];
}

async function answer(settings: FlowSettings, parts: FlowParts, context: EngineContext): Promise<unknown> {
  try {
    const outcome = await context.openRun(toSpec(settings, context), (scope) =>
      runFlow({ parts, scope, context }),
    );
    return context.step ? answerInside(context, outcome) : answerDoor(context, outcome);
  } catch (error) {
    // Its caller inside a run reads the cause; nobody there reads steps.
    if (context.step || !(error instanceof RunFailed)) throw error;
    throw withResult(error, settings.name);
  }
}

function toSpec(
  { name, plan, codeVersion, scopes, tokenBudget }: FlowSettings,
  { table }: EngineContext,
): RunSpec {
  return {
    kind: 'flow',
    ...{ name, codeVersion, scopes, tokenBudget, maxSteps: null },
    definition: toRunPlan(plan, table),
  };
}

/** Answers over HTTP and MCP: the whole result; 202 and where to ask for it while it waits. */
function answerDoor(context: EngineContext, outcome: RunOutcome<Json>): Reply | object {
  const { name } = context.route;
  const { status } = outcome;
  const envelope = toEnvelope(name, outcome, { status, output: 'value' in outcome ? outcome.value : null });
  if (!isWaiting(outcome)) return envelope;
  return reply(202, { ...envelope, ...toWireWaiting(outcome) });
}

/** What a failed run is answered with: its cause, with the whole result as the member `run`. */
function withResult(error: RunFailed, flow: string): HTTPError {
  const { status, message, members, headers, report } = error;
  const run: Json = toEnvelope(flow, report, { status: 'failed', output: null });
  return new HTTPError(status, message, { ...members, headers, run, cause: error });
}
