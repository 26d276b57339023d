import { HTTPError, type HTTPErrorOptions, type Json } from '@waymark/contract';
import type { ModelReply, ModelRequest, Spend } from '@waymark/contract/models';
import { BudgetExhausted } from '@waymark/contract/runs';
import type { AskOptions } from '../behaviour/behaviour-context.ts';
import { type AnswerForm, toAnswerForm } from './answer-form.ts';
import type { BehaviourWork } from './behaviour-work.ts';
import { requireQuestion } from './check-asked.ts';

/**
 * Asks a model in one journaled step. How a schema is put to it, and the one repair of an answer that does not fit, are
 * the models' business: what they call the value is valid.
 *
 * @throws {HTTPError} no answer, or none that can be used
 * @throws {TypeError} no prompt, or options that are none
 */
export function askQuestion(prompt: string, options: AskOptions, work: BehaviourWork): Promise<Json> {
  const { guard, trace, scope, parts } = work;
  return guard.begin(() => {
    if (typeof prompt !== 'string') throw new TypeError('a prompt is a text');
    requireQuestion(options);
    const { model = '' } = options;
    const form = toAnswerForm(options.schema);
    const request = toRequest(prompt, options, form, work);
    const estimateTokens = parts.models().estimateTokens(request);
    const answer = scope.op<Json>(
      {
        // As it was put: what the behaviour declares today is no part of the question.
        ...{ kind: 'ask', name: model, input: toQuestion(prompt, options, form), repeat: 'safe' },
        ...{ estimateTokens, reserveTokens: estimateTokens + request.maxTokens },
        estimate: () => parts.models().estimateSpend(request, estimateTokens),
      },
      async ({ grantedTokens }) => {
        const maxTokens = Math.min(request.maxTokens, grantedTokens ?? request.maxTokens);
        const reply = await parts.models().complete(
          { ...request, maxTokens },
          {
            ...{ signal: scope.signal, deadlineMs: scope.deadlineMs },
            ...(grantedTokens !== null && { tokenBudget: estimateTokens + grantedTokens }),
          },
        );
        const value = toAnswer(reply, { request, cut: maxTokens < request.maxTokens });
        return { value, spend: reply.spend };
      },
    );
    return trace.note('ask', model, form ? answer.then(form.read) : answer);
  });
}

function toRequest(
  prompt: string,
  { system, model, maxTokens, temperature }: AskOptions,
  form: AnswerForm | undefined,
  { settings }: BehaviourWork,
): ModelRequest {
  const degree = temperature ?? settings.temperature;
  return {
    model: model ?? settings.model,
    messages: [
      ...(system === undefined
        ? []
        : [{ role: 'system' as const, parts: [{ type: 'text' as const, text: system }] }]),
      { role: 'user', parts: [{ type: 'text', text: prompt }] },
    ],
    maxTokens: maxTokens ?? settings.maxTokens,
    // Nothing is said twice in front of another question.
    cache: false,
    ...(form && { schema: form.schema, ...(form.check && { check: form.check }) }),
    ...(degree !== null && { temperature: degree }),
  };
}

function toQuestion(
  prompt: string,
  { system, maxTokens, temperature }: AskOptions,
  form: AnswerForm | undefined,
): Json {
  return {
    prompt,
    ...(form && { schema: form.schema as Json }),
    ...(system !== undefined && { system }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** @throws what was said and cannot be used, with its cost */
function toAnswer(
  { message, stop, value, spend }: ModelReply,
  { request, cut }: { readonly request: ModelRequest; readonly cut: boolean },
): Json {
  const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  if (stop === 'max_tokens' && cut) throw Object.assign(new BudgetExhausted(noBudget), { spend });
  if (stop === 'max_tokens')
    throw new UselessAnswer(`the answer was cut off at ${request.maxTokens} tokens`, {
      code: 'max_tokens',
      spend,
    });
  if (request.schema === undefined && text.trim() !== '') return text;
  if (request.schema !== undefined && value !== undefined) return value;
  if (stop === 'refusal') throw new UselessAnswer('the model refused to answer', { code: 'refusal', spend });
  throw new UselessAnswer('the model gave no answer', { code: 'no_valid_answer', spend });
}

const noBudget = 'the token budget is used up';

/** What a model said is of no use; it is paid all the same. */
class UselessAnswer extends HTTPError {
  readonly spend: readonly Spend[];

  constructor(
    message: string,
    { spend, ...options }: HTTPErrorOptions & { readonly spend: readonly Spend[] },
  ) {
    super(502, message, options);
    this.spend = spend;
  }
}
