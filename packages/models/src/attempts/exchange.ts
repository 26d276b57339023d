import { type PostAnswer, TransportError } from '../transport/post.ts';
import { ReplyError } from '../wire/failure-signs.ts';
import type { WireReply } from '../wire/wire-format.ts';
import type { AskContext } from './context.ts';
import { abortOf, type Failure, failureOf } from './failure.ts';
import { type Begun, createReading, ListenerError, type Reading, readWhole } from './read-answer.ts';
import { readError, withoutKey } from './read-error.ts';
import type { WrittenRequest } from './written-request.ts';

/** A reply, or why there is none, and as much of one as had come. */
export type Answer =
  | { readonly ok: true; readonly reply: WireReply; readonly requestId: string | undefined }
  | { readonly ok: false; readonly failure: Failure; readonly begun: Begun | undefined };

/** Sends one request and reads what comes. Rejects only with what the listener throws. */
export async function exchange(given: WrittenRequest, context: AskContext): Promise<Answer> {
  const { attempt, url, headers, body, key } = given;
  const { signal } = attempt;
  const { timeoutMs, idleTimeoutMs } = context.limits;
  let requestId: string | undefined;
  let reading: Reading | undefined;
  try {
    const options = { signal, timeoutMs, idleTimeoutMs };
    const answer = await context.post(url, headers, body, options);
    requestId = requestIdOf(answer.headers);
    if (answer.status !== 200) {
      const failure = await readError(answer, given, context);
      return { ok: false, failure: withId(failure, requestId), begun: undefined };
    }
    reading = createReading(answer, given, context.limits.maxReplyBytes);
    await readWhole(answer, reading, context.limits.maxReplyBytes);
    const reply = reading.reply();
    if (reply === undefined) throw new ReplyError('answered with something that is no reply');
    return { ok: true, reply, requestId };
  } catch (error) {
    if (error instanceof ListenerError) throw error.cause;
    // Everything that was asked for is there; how the connection ended after that is no matter.
    const whole = error instanceof TransportError && reading?.isWhole() ? reading.reply() : undefined;
    if (whole) return { ok: true, reply: whole, requestId };
    const failure = signal.aborted
      ? abortOf(signal.reason, attempt.target)
      : brokenOf(error, given, reading !== undefined);
    const said = error instanceof ReplyError ? error.signs?.message : undefined;
    const cause = said === undefined ? error : new Error(withoutKey(said, key));
    return { ok: false, failure: withId({ ...failure, cause }, requestId), begun: reading?.begun() };
  }
}

function withId(failure: Failure, requestId: string | undefined): Failure {
  return requestId === undefined ? failure : { ...failure, requestId };
}

function requestIdOf(headers: PostAnswer['headers']): string | undefined {
  const id = headers['request-id'] ?? headers['x-request-id'];
  return id !== undefined && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

function brokenOf(error: unknown, { attempt }: WrittenRequest, answered: boolean): Failure {
  const provider = `provider "${attempt.target.provider.name}"`;
  if (error instanceof TransportError) {
    if (error.kind === 'timeout')
      return { reason: 'timeout', message: `${provider} took too long to answer`, retry: true };
    if (error.kind === 'refused')
      return {
        reason: 'unavailable',
        message: `the address of ${provider} may not be reached`,
        retry: false,
      };
    return { reason: 'unavailable', message: `the connection to ${provider} failed`, retry: true };
  }
  if (error instanceof ReplyError && error.signs)
    return failureOf(error.signs.status, error.signs, attempt.target);
  if (!answered) {
    const message = `nothing can be sent to ${provider}: its base URL or an option is wrong`;
    return { reason: 'unavailable', message, retry: false };
  }
  const what = error instanceof ReplyError ? error.message : 'answered with something that is no reply';
  return { reason: 'malformed_reply', message: `${provider} ${what}`, retry: false };
}
