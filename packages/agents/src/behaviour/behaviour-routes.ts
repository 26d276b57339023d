import { type Route, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import { answerInside, RunFailed, type RunSpec, runAnswerRoute, runFacts } from '@waymark/contract/runs';
import type { BehaviourParts } from '../behaviour-run/behaviour-work.ts';
import { runBehaviour } from '../behaviour-run/run-behaviour.ts';
import { answerBehaviour, behaviourOutput, behaviourWaiting, withRun } from './behaviour-answer.ts';
import type { BehaviourSettings } from './behaviour-settings.ts';

const output = { 200: behaviourOutput, 202: behaviourWaiting };

/** The routes of a behaviour: one that runs it, and one that gives a run's answer later. */
export function behaviourRoutes(settings: BehaviourSettings, parts: BehaviourParts): readonly Route[] {
  return [runRoute(settings, parts), runAnswerRoute({ ...settings, output })];
}

function runRoute(settings: BehaviourSettings, parts: BehaviourParts): Route {
  const { name, exposeAt, exposeScopes, summary, input, tool, declaredAt } = settings;
  const answer = async (context: EngineContext): Promise<unknown> => {
    try {
      const outcome = await context.openRun(toSpec(settings), (scope) =>
        runBehaviour({ parts, settings, context, scope }),
      );
      return context.step ? answerInside(context, outcome) : answerBehaviour(context, outcome);
    } catch (error) {
      // Its caller inside a run reads the cause; nobody there reads steps.
      if (context.step || !(error instanceof RunFailed)) throw error;
      throw withRun(error, name);
    }
  };
  return toRoute(
    'POST',
    exposeAt,
    { kind: 'behaviour', durability: 'run', answer },
    {
      ...{ tool, toolName: name, scopes: exposeScopes, summary, declaredAt },
      ...{ placement: 'owner', progress: true },
      // Without a word about its input it takes any object.
      ...(input === undefined ? { strict: false, body: 'json' } : { input }),
      output,
      facts: {
        ...runFacts,
        startsRun: 'behaviour',
        describedBy: 'write a description, or a comment at the start of its function',
      },
    },
  );
}

function toSpec({ name, codeVersion, scopes, tokenBudget, maxSteps }: BehaviourSettings): RunSpec {
  return { kind: 'behaviour', name, codeVersion, scopes, tokenBudget, maxSteps };
}
