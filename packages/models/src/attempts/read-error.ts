import { readRetryAfter } from '@waymark/contract/http';
import { parseJson } from '../json.ts';
import type { PostAnswer } from '../transport/post.ts';
import type { AskContext } from './context.ts';
import { type Failure, failureOf } from './failure.ts';
import type { WrittenRequest } from './written-request.ts';

/** The most of an error that is read, and the longest that it may take. */
const maxErrorBytes = 64 * 1024;
const maxErrorMs = 5000;

/** Reads an answer of any other status. Never rejects. */
export async function readError(
  answer: PostAnswer,
  { attempt, format, key }: WrittenRequest,
  context: AskContext,
): Promise<Failure> {
  const text = await readStart(answer);
  const body = parseJson(text);
  const signs = format.readFailure(body);
  const failure = failureOf(answer.status, signs, attempt.target);
  const said = withoutKey(signs.message || text, key);
  const { 'x-should-retry': shouldRetry } = answer.headers;
  const retryAfterMs = readRetryAfter(answer.headers, context.now());
  return {
    ...failure,
    status: answer.status,
    retry: failure.reason !== 'quota' && (shouldRetry === undefined ? failure.retry : shouldRetry === 'true'),
    cause: new Error(said),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...((answer.status === 400 || answer.status === 422) && { refusal: signs.message || text }),
  };
}

async function readStart(answer: PostAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const timer = setTimeout(() => answer.discard(), maxErrorMs);
  try {
    await answer.read((chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxErrorBytes) throw new RangeError('enough');
    });
  } catch {
    // The status has told what counts; what was read of the words is good enough.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString().slice(0, maxErrorBytes);
}

/** Services repeat a wrong key, or a part of it, in what they say. */
export function withoutKey(message: string, key: string): string {
  const cleaned = key === '' ? message : message.replaceAll(key, '***');
  return cleaned.replaceAll(/\b(sk|key|pk)-[\w*-]{4,}/g, '***').slice(0, 500);
}
