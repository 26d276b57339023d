import { HTTPError } from '../engine/http-error.ts';
import type { Awaitable } from '../engine/json.ts';
import type { Body, RouteResponse } from '../engine/message.ts';
import { isJsonType, isTextType, textOf } from '../route/media.ts';
import { drain } from './drain.ts';
import { maxJsonLevels } from './json-levels.ts';

/** A body that is there as a whole. */
export type WholeBody = Exclude<Body, { readonly kind: 'problem' | 'stream' }>;

/**
 * An answer as a caller by name is given it, before somebody words it: the whole body of a success, or what a failure
 * says. `message` is undefined where its body says nothing that can be read; `cause` is for the log.
 */
export type ReadAnswer =
  | { readonly ok: true; readonly status: number; readonly body: WholeBody }
  | {
      readonly ok: false;
      readonly status: number;
      readonly message: string | undefined;
      readonly code?: string;
      readonly cause?: unknown;
    };

/** The most bytes of a stream that a caller by name is given. */
export const maxToolBytes = 8 * 1_048_576;

/**
 * Reads an answer for a caller by name: problems, errors with a body of the handler, and streams, which are drained up to
 * `maxToolBytes` (more is a failure, 502). A redirect is told in words, before any text of its own; one that has JSON has
 * said it all. Never rejects.
 *
 * @param signal asked only where the answer takes time to read
 */
export function readAnswer(
  response: RouteResponse,
  signal?: () => AbortSignal | undefined,
): Awaitable<ReadAnswer> {
  const { status, body } = response;
  if (body.kind === 'stream') return readStream(response, body, signal?.());
  if (body.kind !== 'problem') return readWhole(response, body);
  const { detail, code } = body;
  return { ok: false, status, message: detail, ...(code !== undefined && { code }) };
}

/** The failure of an answer that is larger than a caller by name is given. */
export const tooLargeAnswer = {
  ok: false,
  status: 502,
  message: `the answer is larger than ${maxToolBytes} bytes`,
} as const satisfies ReadAnswer;

/** The failure of one that is nested deeper. */
export const tooDeepAnswer = {
  ok: false,
  status: 502,
  message: `the answer is nested deeper than ${maxJsonLevels} levels`,
} as const satisfies ReadAnswer;

type Head = Pick<RouteResponse, 'status' | 'headers'>;

function readWhole(head: Head, body: WholeBody): ReadAnswer {
  const { status } = head;
  if (status >= 400) return { ok: false, status, message: wordsOf(body) };
  return { ok: true, status, body: isRedirect(status) && !isValue(body) ? toldOf(head, body) : body };
}

/** 304 leads nowhere. */
function isRedirect(status: number): boolean {
  return status >= 300 && status !== 304;
}

function isValue(body: WholeBody): boolean {
  return (
    (body.kind === 'json' && body.text !== 'null') ||
    (body.kind === 'bytes' && isJsonType(body.mediaType) && body.bytes.length > 0)
  );
}

/** A caller by name sees no headers, and what stands in a redirect is often nothing. */
function toldOf({ status, headers }: Head, body: WholeBody): WholeBody {
  const { location } = headers;
  const place = typeof location === 'object' ? location.join(', ') : location;
  const told =
    place === undefined
      ? `answered ${status} without a Location`
      : `answered ${status} with Location: ${place}; it was not followed`;
  const words = body.kind === 'bytes' ? wordsOf(body) : undefined;
  const bytes = Buffer.from(words ? `${told}\n\n${words}` : told);
  return { kind: 'bytes', bytes, mediaType: 'text/plain; charset=utf-8' };
}

async function readStream(
  head: Head,
  body: Extract<Body, { readonly kind: 'stream' }>,
  signal: AbortSignal | undefined,
): Promise<ReadAnswer> {
  try {
    const bytes = await drain(body, maxToolBytes, signal);
    return bytes ? readWhole(head, { kind: 'bytes', bytes, mediaType: body.mediaType }) : tooLargeAnswer;
  } catch (cause) {
    // Whoever made the stream knows why it broke and logs it; only an HTTPError is written for the caller.
    if (cause instanceof HTTPError) return { ok: false, status: cause.status, message: cause.message };
    return { ok: false, status: 502, message: 'the answer broke off', cause };
  }
}

/** What there is to read in an error of a handler's own. */
function wordsOf(body: WholeBody): string | undefined {
  if (body.kind === 'json') return unquoted(body.text);
  if (body.kind === 'empty') return undefined;
  const { bytes, mediaType } = body;
  if (isJsonType(mediaType)) return unquoted(textOf(bytes, mediaType));
  return isTextType(mediaType) ? textOf(bytes, mediaType) : undefined;
}

/** A JSON text is read without its quotes. Bytes may only claim to be JSON. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
