import { HTTPError, type Values } from '@waymark/contract';
import { problemResponse, RouteResponse, toErrorResponse } from '@waymark/contract/engine';
import { readRetryAfter } from '@waymark/contract/http';
import type { Retry } from '@waymark/contract/route';
import type { Step } from '@waymark/contract/runs';
import { drain, maxToolBytes } from '@waymark/contract/tools';
import type { CallContext } from './call-context.ts';

/** Statuses that a repeated call may not meet again: overload, and failures on the way to an upstream. */
const passing: readonly number[] = [429, 502, 503, 504];

/** The longest wait between two attempts. */
const longestMs = 60_000;

/** What a call is repeated with. */
export interface RepeatParts {
  /** Between 0 and 1. */
  random(): number;
  attempt(context: CallContext): RouteResponse | Promise<RouteResponse>;
  /** Makes the call ready to be made again. @param sent its arguments as they were at first */
  renew(context: CallContext, sent: Values): Promise<void>;
}

/**
 * Makes a call of a run until it does not fail in a way that passes, as often as its route says. The same step is the same
 * idempotency key. Never settles while the step waits and its run is dropped.
 *
 * @throws what the engine throws, unless that passes
 */
export async function repeatCall(
  context: CallContext,
  step: Step,
  { attempts, backoffMs }: Required<Retry>,
  { random, attempt, renew }: RepeatParts,
): Promise<RouteResponse> {
  const sent = JSON.stringify(context.given);
  for (;;) {
    const { response, passes } = await attemptOnce(context, attempt);
    if (!passes || context.attempts >= attempts) return response;
    const fullMs = Math.min(backoffMs * 2 ** (context.attempts - 1), longestMs);
    const askedMs = Math.min(readRetryAfter(response.headers, Date.now()) ?? 0, longestMs);
    const waitMs = Math.max(fullMs * (1 - random() / 2), askedMs);
    if (!(await step.again(waitMs))) return response;
    context.log('warn', 'a call is made again', {
      ...{ run_id: step.runId, status: response.status, attempts: context.attempts },
    });
    await renew(context, JSON.parse(sent) as Values);
  }
}

interface Attempted {
  readonly response: RouteResponse;
  readonly passes: boolean;
}

async function attemptOnce(context: CallContext, attempt: RepeatParts['attempt']): Promise<Attempted> {
  try {
    const response = await attempt(context);
    return response.body.kind === 'stream'
      ? await readStream(response, response.body, context)
      : { response, passes: passing.includes(response.status) };
  } catch (error) {
    if (!(error instanceof HTTPError) || !passing.includes(error.status)) throw error;
    return { response: toErrorResponse(error), passes: true };
  }
}

/** Whoever calls in a run reads a stream to its end: here, since one that breaks off may be whole the next time. */
async function readStream(
  { status, headers }: RouteResponse,
  body: Extract<RouteResponse['body'], { kind: 'stream' }>,
  { call }: CallContext,
): Promise<Attempted> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await drain(body, maxToolBytes, call.signal);
  } catch (error) {
    // Whoever made the stream knows why it broke and logs it.
    throw error instanceof HTTPError ? error : new HTTPError(502, 'the answer broke off', { cause: error });
  }
  if (!bytes)
    return {
      response: problemResponse(502, `the answer is larger than ${maxToolBytes} bytes`),
      passes: false,
    };
  const response = new RouteResponse(status, { kind: 'bytes', bytes, mediaType: body.mediaType }, headers);
  return { response, passes: passing.includes(status) };
}
