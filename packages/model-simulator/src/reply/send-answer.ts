import type { Exchange } from '../request/exchange.ts';
import type { ReadRequest } from '../request/read-request.ts';
import { composeReply } from '../script/compose-reply.ts';
import type { Failure } from '../script/directive.ts';
import type { SimulatedUsage } from '../usage.ts';
import type { Answer } from '../wire-format.ts';
import { type Break, deliver, wait } from './deliver.ts';
import { failureFor, malformed, toRefusal } from './fail.ts';
import { idsOf } from './ids.ts';
import { countReply, limitReply } from './limit-reply.ts';
import { countTokens } from './prompt.ts';
import { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';

/** Makes the reply to a request and sends it, or fails at it as the script wants. @throws {Refusal} for an error */
export async function sendAnswer(exchange: Exchange, read: ReadRequest): Promise<void> {
  const { entry, response } = exchange;
  const { latencyMs } = read.script.settings;
  if (latencyMs > 0 && !(await wait(latencyMs, response))) return;
  const failure = failureFor(read.script.failures, entry.attempt);
  if (failure?.kind === 'hang' && failure.after === null) return;
  if (failure?.kind === 'error' && (failure.after === null || !read.conversation.stream)) {
    throw new Refusal(toRefusal(failure));
  }
  const answer = makeAnswer(exchange, read);
  entry.usage = answer.usage;
  entry.status = 200;
  await send(exchange, read, answer, failure);
}

function makeAnswer({ state, format }: Exchange, read: ReadRequest): Answer {
  const { conversation, script, digest } = read;
  const { quirks, usage } = script.settings;
  const reply = limitReply(composeReply(conversation, script.parts, quirks), conversation);
  return {
    reply,
    conversation,
    usage: countUsage(reply, read, format.readCache(state.cache, conversation.model, read.blocks)),
    usageForm: usage.form,
    quirks,
    ids: idsOf(digest),
  };
}

function countUsage(
  reply: Reply,
  { script, inputTokens }: ReadRequest,
  cached: Pick<SimulatedUsage, 'cacheReadTokens' | 'cacheWriteTokens' | 'cacheWrite1hTokens'>,
): SimulatedUsage {
  const { usage } = script.settings;
  return {
    inputTokens: usage.input ?? inputTokens,
    outputTokens: usage.output ?? countReply(reply),
    cacheReadTokens: usage.cached ?? cached.cacheReadTokens,
    cacheWriteTokens: usage.written ?? cached.cacheWriteTokens,
    cacheWrite1hTokens: usage.written === undefined ? cached.cacheWrite1hTokens : 0,
    thinkingTokens: usage.thinking ?? countTokens(reply.thinking ?? ''),
  };
}

async function send(
  { state, format, entry, response }: Exchange,
  { script, digest }: ReadRequest,
  answer: Answer,
  failure: Failure | undefined,
): Promise<void> {
  const whole = answer.conversation.stream ? format.toEvents(answer) : JSON.stringify(format.toBody(answer));
  const { quirks, paceMs } = script.settings;
  let content: string | readonly string[] = whole;
  let headers: Readonly<Record<string, string>> = { [format.requestIdHeader]: entry.id };
  let broken: Break | undefined;
  if (failure?.kind === 'malformed') {
    content = malformed(whole, failure.form);
    if (failure.form === 'html') headers = { ...headers, 'content-type': 'text/html' };
  }
  if (failure?.kind === 'error' && typeof whole !== 'string') {
    const event = format.toErrorEvent(toRefusal(failure), entry.id);
    content = [...whole.slice(0, failure.after ?? 0), event];
  }
  if (failure?.kind === 'cut' || failure?.kind === 'hang') {
    broken = { how: failure.kind, after: failure.after ?? 0 };
  }
  const beforeEnd = () => {
    if (!failure) state.attempts.succeed(digest);
    if (!broken) entry.outcome = failure ? 'failed' : 'replied';
    if (broken?.how === 'cut') entry.outcome = 'cut';
  };
  await deliver(response, { status: 200, headers, content, paceMs, quirks, beforeEnd }, broken);
}
