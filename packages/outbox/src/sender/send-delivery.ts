import { createRequire } from 'node:module';
import { HTTPError } from '@waymark/contract';
import { splitSecrets } from '@waymark/contract/declaring';
import { type Outbound, type OutboundResponse, readRetryAfter } from '@waymark/contract/http';
import { type Delivery, maxDeliveryBytes, type WebhookEndpoint } from '@waymark/contract/stores';
import type { AttemptError, AttemptResult } from './attempt-result.ts';

const load = createRequire(import.meta.url);

/** What requests are made with. */
export interface SendParts {
  readonly outbound: Outbound;
  readonly env: (name: string) => string | undefined;
  /** Epoch milliseconds: receivers hold the time of a message against their clock. */
  readonly now: () => number;
}

/** To the headers of an answer. */
const answerTimeoutMs = 20_000;

/** Of an answer so much is read, so that its connection can be used again. Nobody looks at it. */
const maxAnswerBytes = 16_384;
const maxAnswerMs = 1_000;

/** Sends a message once. Never rejects: what went wrong is a word. */
export async function sendDelivery(
  { id, body }: Delivery,
  endpoint: WebhookEndpoint,
  { outbound, env, now }: SendParts,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const text = JSON.stringify(body);
  if (Buffer.byteLength(text) > maxDeliveryBytes) return failed('size');
  const headers = toHeaders({ id, text, atMs: now() }, endpoint, env);
  if (!headers) return failed('secret');
  try {
    const response = await outbound.request({
      ...{ method: 'POST', url: endpoint.url, headers, body: Buffer.from(text) },
      ...{ timeoutMs: answerTimeoutMs, idleTimeoutMs: maxAnswerMs, allow: 'declared', signal },
      // An answer may say as much as it likes: its status is what counts.
      maxBytes: Number.POSITIVE_INFINITY,
    });
    await passOver(response.body);
    return toResult(response, now());
  } catch (error) {
    return failed(toWord(error));
  }
}

/** @returns undefined where a secret is missing, or is none */
function toHeaders(
  { id, text, atMs }: { readonly id: string; readonly text: string; readonly atMs: number },
  { secretEnv, bearerEnv }: WebhookEndpoint,
  env: SendParts['env'],
): Readonly<Record<string, string>> | undefined {
  const token = bearerEnv === undefined ? undefined : env(bearerEnv);
  const secrets = secretEnv === undefined ? [] : splitSecrets(env(secretEnv) ?? '');
  if (token === '' || (bearerEnv !== undefined && token === undefined)) return undefined;
  if (secretEnv !== undefined && secrets.length === 0) return undefined;
  // With the first message: a server that sends none does not load it.
  const { Webhook } = load('standardwebhooks') as typeof import('standardwebhooks');
  try {
    const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(atMs), text));
    return {
      'content-type': 'application/json',
      'user-agent': 'waymark',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(atMs / 1000)),
      ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
  } catch {
    // Words of the library may show the secret.
    return undefined;
  }
}

async function passOver(body: OutboundResponse['body']): Promise<void> {
  const untilMs = performance.now() + maxAnswerMs;
  let length = 0;
  try {
    for await (const piece of body) {
      length += piece.length;
      if (length > maxAnswerBytes || performance.now() > untilMs) return;
    }
  } catch {
    // The answer had come.
  }
}

function toResult({ status, headers }: OutboundResponse, nowMs: number): AttemptResult {
  if (status >= 200 && status < 300) return { status, error: null };
  if (status === 410) return { status, error: 'gone' };
  const retryAfterMs = status === 429 || status === 503 ? readRetryAfter(headers, nowMs) : undefined;
  const error = status >= 300 && status < 400 ? 'redirect' : 'answer';
  return { status, error, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function failed(error: AttemptError): AttemptResult {
  return { status: null, error };
}

/** The words of the outbound client name hosts, and their causes more than that. */
function toWord(error: unknown): AttemptError {
  if (!(error instanceof HTTPError)) return 'unreachable';
  if (error.status === 403) return 'address';
  return error.status === 504 ? 'timeout' : 'unreachable';
}
