import {
  isPassing,
  type ModelCallOptions,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from '@waymark/contract/models';
import { verifyReply } from './answers/verify-reply.ts';
import { askModel } from './attempts/ask-model.ts';
import type { AskContext } from './attempts/context.ts';
import type { Failure } from './attempts/failure.ts';
import type { LearnedAdaptations } from './attempts/learned-adaptations.ts';
import { Question } from './attempts/question.ts';
import { type Target, targetName } from './catalog/catalog.ts';
import { resolveModel } from './catalog/resolve-model.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { TransportError } from './transport/post.ts';

/** Failures that would be the same on any other model. */
const final = new Set<Failure['reason']>(['aborted', 'context_window', 'no_valid_answer', 'rejected']);

/** Asks the models behind a name, one after another, until one answers. @throws {ModelError} when none does */
export async function complete(
  request: ModelRequest,
  options: ModelCallOptions,
  learned: LearnedAdaptations,
  context: AskContext,
): Promise<ModelReply> {
  const resolved = resolveModel(request.model, context.catalog);
  if (!resolved.ok)
    throw new ModelError(resolved.fault.rule, {
      reason: 'unknown_model',
      provider: '',
      model: request.model,
    });
  const watch = watchDeadline(options, context.monotonic());
  const question = new Question(options, watch.signal);
  try {
    return await askAll(request, resolved.targets, question, learned, context);
  } finally {
    watch.end();
  }
}

async function askAll(
  request: ModelRequest,
  targets: readonly Target[],
  question: Question,
  learned: LearnedAdaptations,
  context: AskContext,
): Promise<ModelReply> {
  const failures: Failed[] = [];
  for (const target of targets) {
    if (failures.length > 0) {
      const tokens = estimateTokens(request) + request.maxTokens;
      if (!question.mayAskAgain(context.monotonic(), tokens)) break;
      question.restart();
    }
    const answer = await askAndVerify(request, target, question, learned, context);
    if (answer.ok) return { ...answer.reply, spend: question.spend };
    warnOf(answer.failure, target, context);
    failures.push({ failure: answer.failure, target });
    if (final.has(answer.failure.reason)) break;
  }
  throw toModelError(failures, question);
}

/** Who asks may have another model, or keep it to themselves; whoever runs the service is told. Its words stay out. */
function warnOf({ reason, message, requestId }: Failure, target: Target, { log }: AskContext): void {
  // The asker has gone, or shortens what it says: that happens where nothing is wrong.
  if (reason === 'aborted' || reason === 'context_window') return;
  const facts = { model: targetName(target), reason, failure: message };
  log('warn', 'a model gave no answer', {
    ...facts,
    ...(requestId !== undefined && { request_id: requestId }),
  });
}

type Answer =
  | { readonly ok: true; readonly reply: Omit<ModelReply, 'spend'> }
  | { readonly ok: false; readonly failure: Failure };

/** A reply that is not what was asked for is asked for once more. */
async function askAndVerify(
  request: ModelRequest,
  target: Target,
  question: Question,
  learned: LearnedAdaptations,
  context: AskContext,
): Promise<Answer> {
  let asked = request;
  for (let repairs = 0; ; repairs++) {
    const outcome = await askModel(asked, target, question, learned, context);
    if (!outcome.ok) return outcome;
    const verdict = verifyReply(request, outcome.plan, outcome.reply);
    if (verdict.ok) return verdict;
    const tokens = estimateTokens(verdict.repair) + request.maxTokens;
    if (repairs > 0 || !question.mayAskAgain(context.monotonic(), tokens)) {
      const message = `provider "${target.provider.name}" gave no valid answer: ${verdict.complaint}`;
      return { ok: false, failure: { reason: 'no_valid_answer', message, retry: false } };
    }
    asked = verdict.repair;
  }
}

interface Failed {
  readonly failure: Failure;
  readonly target: Target;
}

/**
 * Why there is no answer. One of several models that may answer later is all that it takes, whatever is wrong with the
 * others; but what would be the same on any model is so later, too.
 */
function decisiveOf(failures: readonly Failed[]): Failed | undefined {
  const last = failures.at(-1);
  if (!last || final.has(last.failure.reason)) return last;
  return failures.findLast(({ failure }) => isPassing(failure.reason)) ?? last;
}

function toModelError(failures: readonly Failed[], { spend }: Question): ModelError {
  const last = decisiveOf(failures);
  const message = failures.map(({ failure }) => failure.message).join('; then ');
  return new ModelError(message, {
    reason: last?.failure.reason ?? 'unavailable',
    provider: last?.target.provider.name ?? '',
    model: last?.target.model ?? '',
    spend,
    ...(last?.failure.retryAfterMs !== undefined && { retryAfterMs: last.failure.retryAfterMs }),
    ...(last?.failure.requestId !== undefined && { requestId: last.failure.requestId }),
    ...(last?.failure.cause !== undefined && { cause: last.failure.cause }),
  });
}

/** Timers hold no more milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/** A signal that fires with the asker's and at the deadline. Without one it is the asker's own. */
function watchDeadline(
  { signal, deadlineMs }: ModelCallOptions,
  nowMs: number,
): { readonly signal: AbortSignal; end(): void } {
  if (deadlineMs === undefined) return { signal, end: () => {} };
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  const late = (): void => controller.abort(new TransportError('timeout', 'the deadline is over'));
  const timer = setTimeout(late, Math.min(Math.max(0, deadlineMs - nowMs), maxTimerMs));
  if (deadlineMs <= nowMs) late();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
