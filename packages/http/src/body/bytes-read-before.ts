import type { IncomingMessage } from 'node:http';
import { HTTPError } from '@waymark/contract';

/** What body parsers leave on a request. */
type ParsedRequest = IncomingMessage & {
  /** Of `express.json()`, `express.text()`, `express.raw()` and their kin. */
  readonly body?: unknown;
  /** The bytes as they came, by a custom of frameworks and cloud functions. */
  readonly rawBody?: unknown;
};

/**
 * Gives back the bytes of a body that somebody in front has read. A JSON value is written again, so that it passes the
 * same limits and checks as one that comes over the wire; its numbers are what the parser made of them.
 *
 * @throws {HTTPError} 500 for a body that nobody kept, or in a form that cannot be turned back
 */
export function bytesReadBefore(req: IncomingMessage): Uint8Array {
  const { rawBody, body } = req as ParsedRequest;
  if (rawBody instanceof Uint8Array) return rawBody;
  if (body instanceof Uint8Array) return body;
  const json = isJson(req.headers['content-type']);
  if (typeof body === 'string' && !(json && isJsonString(req, body))) return Buffer.from(body);
  if (json && body !== undefined) return Buffer.from(JSON.stringify(body));
  throw new HTTPError(
    500,
    'the body was read by middleware in front, and `req.body` does not hold it as JSON, text or bytes: mount the routes before that middleware',
  );
}

/** Whether a string is the value that a parser made of JSON, not the JSON itself: then at least the quotes are gone. */
function isJsonString({ headers }: IncomingMessage, body: string): boolean {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = headers;
  return encoding === 'identity' && Buffer.byteLength(body) < Number(length);
}

function isJson(contentType = ''): boolean {
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType);
}
