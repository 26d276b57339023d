import type { ModelRequest } from '@waymark/contract/models';
import { type Plan, planRequest } from '../answers/plan-request.ts';
import { takesTemperature } from '../anthropic/write-request.ts';
import { type Target, targetName } from '../catalog/catalog.ts';
import { estimateTokens } from '../estimate-tokens.ts';
import { type Adaptation, adaptationFor, isLasting } from '../wire/adaptations.ts';
import type { CleanReply } from '../wire/normalise-reply.ts';
import { askOnce } from './ask-once.ts';
import type { AskContext } from './context.ts';
import { abortOf, type Failure } from './failure.ts';
import type { LearnedAdaptations } from './learned-adaptations.ts';
import type { Question } from './question.ts';
import { backOff, longestDelayMs } from './retry-delay.ts';

/** A reply and how it was asked for, or the failure that is left after all retries. */
export type ModelOutcome =
  | { readonly ok: true; readonly plan: Plan; readonly reply: CleanReply }
  | { readonly ok: false; readonly failure: Failure };

/** Asks one model: without what its server is found not to take, and again when that may help. */
export async function askModel(
  request: ModelRequest,
  target: Target,
  question: Question,
  learned: LearnedAdaptations,
  context: AskContext,
): Promise<ModelOutcome> {
  const tried = new Set<Adaptation>();
  const lasting = new Set<Adaptation>();
  for (let retries = 0; ; ) {
    const adaptations = new Set([...learned.of(targetName(target)), ...tried]);
    const plan = planRequest(request, target.provider, adaptations);
    const onDelta = isFreeText(request) ? question.onDelta : undefined;
    const attempt = { request: plan.request, target, adaptations, signal: question.signal, onDelta };
    const outcome = await askOnce(attempt, context);
    question.charge(outcome.spend);
    if (outcome.ok) {
      // Only now is it known that this was it: in its refusal a server may repeat what somebody said.
      for (const adaptation of lasting) learned.add(targetName(target), adaptation);
      warnOfTemperature(request, target, adaptations, context);
      return { ok: true, plan, reply: outcome.reply };
    }
    const { failure } = outcome;
    if (failure.reason === 'rejected' && failure.refusal !== undefined) {
      const adaptation = adaptationFor(failure.refusal, target.provider.kind, adaptations);
      if (adaptation !== undefined) {
        tried.add(adaptation);
        if (isLasting(failure.refusal)) lasting.add(adaptation);
        continue;
      }
    }
    const waitMs = Math.min(failure.retryAfterMs ?? backOff(retries, context.random), longestDelayMs);
    const tokens = estimateTokens(request) + request.maxTokens;
    if (
      !failure.retry ||
      retries >= context.limits.retries ||
      !question.mayAskAgain(context.monotonic() + waitMs, tokens)
    )
      return { ok: false, failure: { ...failure, message: describe(failure, request, retries) } };
    context.log('warn', 'a model is asked again', { failure: failure.message, waitMs });
    if (!(await waits(waitMs, question.signal, context)))
      return { ok: false, failure: abortOf(question.signal.reason, target) };
    question.restart();
    retries++;
  }
}

/** JSON and forced calls are checked before anybody is told, and may be asked for twice. */
function isFreeText({ schema, toolChoice = 'auto' }: ModelRequest): boolean {
  return schema === undefined && toolChoice === 'auto';
}

async function waits(ms: number, signal: AbortSignal, { wait }: AskContext): Promise<boolean> {
  try {
    await wait(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

function describe({ message, reason }: Failure, { messages }: ModelRequest, retries: number): string {
  const parts = messages.flatMap((one) => one.parts);
  const images = parts.some((part) =>
    part.type === 'tool_result' ? part.parts.some(({ type }) => type === 'image') : part.type === 'image',
  );
  const hint =
    reason === 'rejected' && images ? '; the request holds images, which not every model takes' : '';
  return `${message}${retries > 0 ? `, asked ${retries + 1} times` : ''}${hint}`;
}

function warnOfTemperature(
  { temperature }: ModelRequest,
  target: Target,
  adaptations: ReadonlySet<Adaptation>,
  { log }: AskContext,
): void {
  const dropped = adaptations.has('no_temperature') || !takesTemperature(target.provider.anthropicVersion);
  if (temperature !== undefined && dropped)
    log('warn', 'the temperature was left out: the model does not take one', { model: targetName(target) });
}
