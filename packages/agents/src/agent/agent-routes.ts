import {
  type EngineContext,
  eventStreamType,
  type Progress,
  type Route,
  RunFailed,
  type RunSpec,
  Type,
  toRoute,
} from '@waymark/contract';
import { runAgent } from '../run/run-agent.ts';
import type { AgentParts } from '../run/run-work.ts';
import { answerCaller, answerDoor, withResult } from './agent-answer.ts';
import { type AgentTurn, agentInput, maxAgentBodyBytes, readTurn } from './agent-input.ts';
import { agentResult } from './agent-result.ts';
import type { AgentSettings } from './agent-settings.ts';

/** The routes of an agent: one that runs it, and one that gives a run's answer later. Its socket shares the first path. */
export function agentRoutes(settings: AgentSettings, parts: AgentParts): readonly Route[] {
  return [runRoute(settings, parts), answerRoute(settings)];
}

function runRoute(settings: AgentSettings, parts: AgentParts): Route {
  const { name, exposeAt, exposeScopes, description, tool, declaredAt } = settings;
  const answer = async (context: EngineContext): Promise<unknown> => {
    const turn = readTurn(context, name);
    try {
      const outcome = await context.openRun(toSpec(settings, turn), (scope) =>
        runAgent(turn, { parts, scope, context, entry: settings }),
      );
      return context.step ? answerCaller(context, outcome) : answerDoor(context, outcome, turn);
    } catch (error) {
      // Its caller inside a run reads the cause; nobody there reads steps.
      if (context.step || !(error instanceof RunFailed)) throw error;
      throw withResult(error, name, turn);
    }
  };
  return toRoute(
    'POST',
    exposeAt,
    { kind: 'agent', durability: 'run', answer },
    {
      ...{ tool, toolName: name, scopes: exposeScopes, declaredAt },
      ...(description !== '' && { summary: description }),
      ...{ placement: 'owner', progress: true, maxBodyBytes: maxAgentBodyBytes },
      input: agentInput,
      output: { 200: agentResult, 202: agentResult },
    },
  );
}

function toSpec(settings: AgentSettings, { session }: AgentTurn): RunSpec {
  const { name, codeVersion, scopes, tokenBudget, maxSteps, context } = settings;
  return {
    kind: 'agent',
    ...{ name, codeVersion, scopes, tokenBudget, maxSteps },
    ...(session && { session }),
    definition: { contexts: context },
  };
}

/** Where a run that waits says that its answer will be (decision 8). */
function answerRoute({ name, exposeAt, exposeScopes, declaredAt }: AgentSettings): Route {
  const answer = async (context: EngineContext): Promise<unknown> => {
    // Validated by the schemas below.
    const { run_id: runId, last_seq: lastSeq = 0 } = context.input as { run_id: string; last_seq?: number };
    if (wantsEvents(context))
      await follow(context, context.followRun(runId, name, seqOf(context) ?? lastSeq));
    return context.readRun(runId, name);
  };
  return toRoute(
    'GET',
    `${exposeAt}/runs/{run_id}`,
    { kind: 'handler', answer },
    {
      ...{ scopes: exposeScopes, declaredAt, placement: 'owner', progress: true },
      summary: `Gives the answer of a run of ${name} to whoever started it.`,
      input: { run_id: Type.String(), last_seq: Type.Optional(Type.Integer({ minimum: 0 })) },
      output: { 200: agentResult, 202: agentResult },
    },
  );
}

function wantsEvents({ request }: EngineContext): boolean {
  return request.headers['accept']?.includes(eventStreamType) ?? false;
}

/** The last event that a client has seen, as browsers say it. */
function seqOf({ request }: EngineContext): number | undefined {
  const id = request.headers['last-event-id'];
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Tells what happened since; the answer itself comes from the run. */
async function follow(context: EngineContext, events: AsyncIterable<Progress>): Promise<void> {
  for await (const event of events) {
    if (event.event === 'result') return;
    context.observe(event);
  }
}
