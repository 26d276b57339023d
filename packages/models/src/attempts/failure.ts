import type { ModelFault } from '@waymark/contract/models';
import type { Target } from '../catalog/catalog.ts';
import { TransportError } from '../transport/post.ts';
import type { FailureSigns } from '../wire/failure-signs.ts';

/** One attempt that gave no reply. */
export interface Failure {
  readonly reason: ModelFault;
  /** For callers: names provider, model, variable, status, and nothing the provider said. */
  readonly message: string;
  /** Whether the same again may go better. */
  readonly retry: boolean;
  /** How long the provider wants to be left alone. */
  readonly retryAfterMs?: number;
  readonly requestId?: string;
  /** Of an answer that is none. */
  readonly status?: number;
  /** For logs. */
  readonly cause?: unknown;
  /** What the provider said of a request that it finds wrong. */
  readonly refusal?: string;
}

/** Statuses that may be another one next time, besides all from 500 on. */
const passing = new Set([408, 409, 425, 429]);

/** The failure that a status means. */
export function failureOf(status: number, signs: FailureSigns, target: Target): Failure {
  const provider = `provider "${target.provider.name}"`;
  const retry = passing.has(status) || status >= 500;
  const say = (reason: ModelFault, message: string, again = false): Failure => ({
    reason,
    message: `${message} (${status})`,
    retry: again,
  });
  if (signs.reason === 'quota') return say('quota', `the quota at ${provider} is used up`);
  if (signs.reason === 'context_window' && (status === 400 || status === 413))
    return say(
      'context_window',
      `the conversation is too long for the model "${target.model}" of ${provider}`,
    );
  if (status === 429) return say('rate_limited', `${provider} limits the rate of requests`, true);
  if (retry) return say('unavailable', `${provider} is not available`, true);
  if (status === 401 || status === 403)
    return say(
      'key_refused',
      `${provider} refused ${keyOf(target)} or does not let it use the model "${target.model}"`,
    );
  if (status === 402) return say('quota', `the quota at ${provider} is used up`);
  if (status === 404) return say('unknown_model', `${provider} does not know the model "${target.model}"`);
  if (status >= 300 && status < 400)
    return say(
      'unavailable',
      `${provider} answered with a redirect, which is not followed: correct its base URL`,
    );
  return say('rejected', `${provider} refused the request for the model "${target.model}"`);
}

function keyOf({ provider }: Target): string {
  return provider.apiKeyEnv === undefined ? 'a request without a key' : `the key in ${provider.apiKeyEnv}`;
}

/** The failure of a provider whose variable is not set. */
export function missingKey({ provider }: Target, variable: string): Failure {
  return {
    reason: 'missing_key',
    message: `provider "${provider.name}" has no key: the variable ${variable} is not set`,
    retry: false,
  };
}

/** The failure of an attempt that its asker, or the deadline, gave up. */
export function abortOf(reason: unknown, { provider }: Target): Failure {
  const late =
    (reason instanceof TransportError && reason.kind === 'timeout') ||
    (reason as Error | undefined)?.name === 'TimeoutError';
  const told = late
    ? ({
        reason: 'timeout',
        message: `provider "${provider.name}" did not answer within the time there was`,
      } as const)
    : ({ reason: 'aborted', message: `the call of provider "${provider.name}" was cancelled` } as const);
  return { ...told, retry: false, cause: reason };
}
