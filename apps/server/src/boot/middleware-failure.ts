import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { HTTPError } from '@waymark/contract';
import type { Log } from '@waymark/contract/engine';
import { problemText } from '@waymark/http';

/** What answering a failure takes. */
export interface FailureOptions {
  readonly newId: () => string;
  readonly log: Log;
}

/** Answers a failure of middleware as the door answers a handler's: an `HTTPError` as it is, anything else without saying why. */
export function answerFailure(
  error: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  { newId, log }: FailureOptions,
): void {
  const given = req.headers['x-request-id'];
  const requestId = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newId();
  const refusal = toRefusal(error);
  const report = (cause: unknown): void =>
    log('error', 'middleware failed', { request_id: requestId, method: req.method, error: cause });
  if (refusal === bug) report(error);
  if (res.headersSent) {
    // The client must not take the part for the whole.
    res.destroy();
    return;
  }
  try {
    send(res, refusal, requestId);
  } catch (cause) {
    // Headers that cannot be sent; thrown from here they would end the process.
    report(cause);
    send(res, bug, requestId);
  }
}

interface Refusal {
  readonly status: number;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of the problem besides the usual ones: `code`. */
  readonly members?: HTTPError['members'];
}

const bug: Refusal = { status: 500, detail: 'internal error' };

/** Express middleware blames its callers with a `status`; its words were not written for them. */
function toRefusal(error: unknown): Refusal {
  const { status } = typeof error === 'object' && error !== null ? (error as { status?: unknown }) : {};
  if (typeof status !== 'number' || status < 400 || status > 599) return bug;
  const phrase = STATUS_CODES[status];
  if (phrase === undefined) return bug;
  if (error instanceof HTTPError) {
    const { message, headers, members } = error;
    return { status, detail: message, headers, members };
  }
  return status < 500 ? { status, detail: phrase } : bug;
}

/** They speak of the body that middleware was about to send. Others stay: a browser reads an error only with those of CORS. */
const ofTheBody = /^(?:content-|transfer-encoding$|etag$|last-modified$|cache-control$)/;

function send(res: ServerResponse, { status, detail, headers, members }: Refusal, requestId: string): void {
  for (const name of res.getHeaderNames()) if (ofTheBody.test(name)) res.removeHeader(name);
  const text = problemText(status, { detail, ...members }, requestId);
  res.writeHead(status, {
    ...headers,
    'x-request-id': requestId,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(text),
  });
  res.end(text);
}
