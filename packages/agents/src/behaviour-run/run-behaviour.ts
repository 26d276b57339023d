import { HTTPError, type Json, type Values } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { RunEnd } from '@waymark/contract/runs';
import { toolFailure } from '@waymark/contract/tools';
import { refusedCode } from '../run/refused-call.ts';
import type { BehaviourWork } from './behaviour-work.ts';
import { StepGuard } from './step-guard.ts';
import { toContext } from './to-context.ts';
import { ToolError } from './tool-error.ts';
import { Trace } from './trace.ts';

/** Runs the function of a behaviour from its start, to its end or to an earlier one. */
export function runBehaviour(work: Omit<BehaviourWork, 'guard' | 'trace'>): Promise<RunEnd<Json>> {
  const guard = new StepGuard(work.scope.maxSteps);
  const trace = new Trace();
  const ended = Promise.race([guard.ended, callBody({ ...work, guard, trace })]);
  return ended.finally(() => trace.close());
}

async function callBody(work: BehaviourWork): Promise<RunEnd<Json>> {
  const { context, settings } = work;
  try {
    const value = await settings.body(toContext(work), ownInput(context));
    // As it will be stored: what JSON cannot hold fails the run then, and nothing is null.
    return { status: 'completed', value: value as Json };
  } catch (error) {
    throw toCallersError(toStorable(error));
  }
}

/**
 * A copy: what one leg does to its input is not there in the next. What a library made of a value it has made for this
 * leg, and it may be more than JSON.
 */
function ownInput({ input, route }: EngineContext): Values {
  if (route.standard) return input;
  const made = new Set(route.parameters.flatMap(({ name, standard }) => (standard ? [name] : [])));
  const members = Object.entries(input);
  const plain = Object.fromEntries(members.filter(([name]) => !made.has(name)));
  return {
    ...(JSON.parse(JSON.stringify(plain)) as Values),
    ...Object.fromEntries(members.filter(([name]) => made.has(name))),
  };
}

/** A program without types may give an error members that JSON cannot hold: it could not be stored as the run's end. */
function toStorable(error: unknown): unknown {
  if (!(error instanceof HTTPError)) return error;
  try {
    JSON.stringify([error.members, error.headers]);
    return error;
  } catch {
    return new Error('an HTTPError holds what JSON cannot', { cause: error });
  }
}

/** Codes of failures whose words say themselves what they are about. */
const ownWords: readonly (string | undefined)[] = ['declined', 'expired', refusedCode];

/** Whoever called the behaviour did not call its tool: it is named. */
function toCallersError(error: unknown): unknown {
  if (!(error instanceof ToolError) || ownWords.includes(error.code)) return error;
  const { tool, status, message, code } = error;
  return new HTTPError(status, toolFailure(tool, status, message), {
    cause: error,
    ...(code !== undefined && { code }),
  });
}
