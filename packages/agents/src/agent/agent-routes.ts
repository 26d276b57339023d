import { type Route, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { answerInside, RunFailed, type RunSpec, runAnswerRoute, runFacts } from '@waymark/contract/runs';
import { runAgent } from '../run/run-agent.ts';
import type { AgentParts } from '../run/run-work.ts';
import { agentSocketRoute } from '../socket/agent-socket-route.ts';
import { answerDoor, withResult } from './agent-answer.ts';
import {
  type AgentTurn,
  agentBodyBytes,
  agentInput,
  agentToolInput,
  readEndedTurn,
  readTurn,
} from './agent-input.ts';
import { agentResult } from './agent-result.ts';
import type { AgentSettings } from './agent-settings.ts';

/** The routes of an agent: one that runs it, its socket on the same path, and one that gives a run's answer later. */
export function agentRoutes(settings: AgentSettings, parts: AgentParts): readonly Route[] {
  const turns = runRoute(settings, parts);
  return [
    turns,
    agentSocketRoute(settings, turns),
    runAnswerRoute({ ...settings, output: { 200: agentResult, 202: agentResult } }),
  ];
}

function runRoute(settings: AgentSettings, parts: AgentParts): Route {
  const { name, exposeAt, exposeScopes, description, tool, declaredAt } = settings;
  const answer = async (context: EngineContext): Promise<unknown> => {
    const turn = context.ended ? readEndedTurn(context) : readTurn(context, settings);
    try {
      const outcome = await context.openRun(toSpec(settings, turn), (scope) =>
        runAgent(turn, { parts, scope, context, entry: settings }),
      );
      return context.step ? answerInside(context, outcome) : answerDoor(context, outcome, turn);
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
      ...{ placement: 'owner', progress: true, maxBodyBytes: agentBodyBytes(settings) },
      input: agentInput(settings),
      output: { 200: agentResult, 202: agentResult },
      facts: {
        ...runFacts,
        ...{ startsRun: 'agent', toolInput: agentToolInput(settings), describedBy: 'write a description' },
      },
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
