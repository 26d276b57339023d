import type { Spend } from '@waymark/contract/models';
import { priceOf, type Target } from '../catalog/catalog.ts';
import { estimateOutput, estimateTokens } from '../estimate-tokens.ts';
import { formatOf } from '../formats.ts';
import type { JsonObject } from '../json.ts';
import { toSpend } from '../to-spend.ts';
import { normaliseReply } from '../wire/normalise-reply.ts';
import type { WireReply } from '../wire/wire-format.ts';
import type { Attempt, Outcome } from './attempt.ts';
import type { AskContext } from './context.ts';
import { exchange } from './exchange.ts';
import { type Failure, missingKey } from './failure.ts';
import { startSpan } from './span.ts';
import { tellPartner } from './tell-partner.ts';

/** Replies that may be longer are streamed, so that no connection is silent for minutes. */
const maxUnstreamedTokens = 8192;

/** Asks a model once. Rejects only with what `onDelta` throws. */
export async function askOnce(attempt: Attempt, context: AskContext): Promise<Outcome> {
  const { request, target, adaptations, onDelta } = attempt;
  const key = keyFor(target, context);
  if (!key.ok) return { ok: false, failure: key.failure, spend: undefined };
  const format = formatOf(target.provider.kind);
  const stream = onDelta !== undefined || request.maxTokens > maxUnstreamedTokens;
  const wire = { ...target, request, stream, adaptations };
  const headers = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    ...format.headers(target.provider),
    ...key.headers,
  };
  const url = format.url(wire);
  const body = toText(format.write(wire));
  const written = { attempt, format, url, headers, key: key.value, body, stream };
  const span = await startSpan(attempt, stream, context);
  const startedMs = context.monotonic();
  try {
    const answer = await exchange({ ...written, onFirst: span.onFirst }, context);
    tellPartner(target.provider.name, answer, startedMs, context);
    const outcome: Outcome = answer.ok
      ? finish(answer.reply, answer.requestId, attempt, context)
      : {
          ok: false,
          failure: answer.failure,
          spend: answer.begun && spendOf(answer.begun, attempt, context),
        };
    span.end(outcome, answer.ok ? answer.reply : undefined);
    return outcome;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}

function finish(
  wire: WireReply,
  requestId: string | undefined,
  attempt: Attempt,
  context: AskContext,
): Outcome {
  const id = requestId ?? wire.id ?? context.newId();
  const reply = normaliseReply(wire, id, attempt.request.messages);
  return { ok: true, reply, requestId, spend: spendOf(wire, attempt, context) };
}

function spendOf(
  { usage, parts }: Pick<WireReply, 'usage' | 'parts'>,
  { request, target }: Attempt,
  { catalog }: AskContext,
): Spend {
  const said = parts.map((part) => (part.type === 'tool_call' ? { ...part, id: '' } : part));
  const estimate = {
    inputTokens: usage.inputTokens ?? estimateTokens(request),
    outputTokens: usage.outputTokens ?? Math.min(estimateOutput(said), request.maxTokens),
  };
  return toSpend(target, usage, estimate, priceOf(target, catalog));
}

/** Half a character, left over where a text was cut, makes a request that services cannot read. */
function toText(body: JsonObject): string {
  const text = JSON.stringify(body);
  if (!/\\ud[89a-f]/.test(text)) return text;
  return JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\p{Surrogate}/gu, '\ufffd') : value,
  );
}

type Key =
  | { readonly ok: true; readonly value: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly failure: Failure };

/** The header with the key, read each time: a key that is changed counts from then on. */
function keyFor(target: Target, { env }: AskContext): Key {
  const { apiKeyEnv, auth, name } = target.provider;
  if (apiKeyEnv === undefined) return { ok: true, value: '', headers: {} };
  const key = env(apiKeyEnv)?.trim() ?? '';
  if (key === '') return { ok: false, failure: missingKey(target, apiKeyEnv) };
  if (!/^[\x21-\x7e]+$/.test(key)) {
    const message = `the key of provider "${name}" in ${apiKeyEnv} holds a character that no header can carry`;
    return { ok: false, failure: { reason: 'missing_key', message, retry: false } };
  }
  return {
    ok: true,
    value: key,
    headers: auth === 'bearer' ? { authorization: `Bearer ${key}` } : { [auth]: key },
  };
}
