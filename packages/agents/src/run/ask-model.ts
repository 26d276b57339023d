import type { Message, ModelReply, ModelRequest, Spend } from '@waymark/contract/models';
import { type Actor, modelTools } from './actor.ts';
import type { Conversation } from './conversation.ts';
import type { RunWork } from './run-work.ts';

/** What is recorded of one call of a model. */
export type ModelStep = {
  readonly message: Message;
  readonly stop: ModelReply['stop'];
  /** As the provider counted them, or as we do where it does not. */
  readonly inputTokens: number;
  /** Taken out of the conversation before it was asked. */
  readonly imagesDropped: number;
};

/**
 * Asks the model of the agent, in one journaled step: prompt, tools and model are those of today.
 *
 * @param tell whether the text is told as it comes
 * @throws {BudgetExhausted} nothing is left to ask with
 */
export async function askModel(
  conversation: Conversation,
  actor: Actor,
  work: RunWork,
  tell: boolean,
): Promise<ModelStep> {
  const { scope, parts, entry } = work;
  const imagesDropped = conversation.dropImages(entry.maxImages);
  const request = toRequest(conversation, actor, work);
  const estimateTokens = estimate(conversation, request, work);
  const reserveTokens = estimateTokens + request.maxTokens;
  const spec = { kind: 'model', name: request.model, input: null, repeat: 'safe' } as const;
  const cut = (): Spend | undefined => parts.models().estimateSpend(request, estimateTokens);
  const counted = { reserveTokens, estimateTokens, estimate: cut };
  const step = await scope.op<ModelStep>({ ...spec, ...counted }, async (step) => {
    const { grantedTokens } = step;
    const maxTokens = Math.min(request.maxTokens, grantedTokens ?? request.maxTokens);
    const { message, stop, spend } = await parts.models().complete(
      { ...request, maxTokens },
      {
        signal: scope.signal,
        deadlineMs: scope.deadlineMs,
        ...(grantedTokens !== null && { tokenBudget: estimateTokens + grantedTokens }),
        ...(tell && deltas(work)),
      },
    );
    const inputTokens = spend.at(-1)?.inputTokens ?? estimateTokens;
    return { value: { message, stop, inputTokens, imagesDropped }, spend };
  });
  conversation.measure(step.inputTokens);
  return step;
}

function toRequest(conversation: Conversation, { settings }: Actor, work: RunWork): ModelRequest {
  const { model, system, maxTokens, temperature, cache } = settings;
  const tools = modelTools(settings, work.context.table, work.parts.agents);
  const prompt: readonly Message[] =
    system === '' ? [] : [{ role: 'system', parts: [{ type: 'text', text: system }] }];
  return {
    ...{ model, maxTokens, cache },
    messages: [...prompt, ...conversation.toMessages()],
    ...(tools.length > 0 && { tools }),
    ...(temperature !== null && { temperature }),
  };
}

/** What was measured last, and a guess at what came since; a guess at all of it where nothing was. */
function estimate(conversation: Conversation, request: ModelRequest, { parts }: RunWork): number {
  const { measured, messages } = conversation;
  const models = parts.models();
  if (!measured) return models.estimateTokens(request);
  const news = { model: request.model, maxTokens: 0, messages: messages.slice(measured.messages) };
  return measured.tokens + models.estimateTokens(news);
}

function deltas({ scope, entry }: RunWork): {
  readonly onDelta: (text: string) => void;
  readonly onRestart: () => void;
} {
  const agent = entry.name;
  return {
    onDelta: (text) => scope.write({ agent, text }),
    onRestart: () => scope.write({ agent, restart: true }),
  };
}
