import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import { HTTPError, type Log } from '@waymark/contract';
import type { Door } from '@waymark/http';
import type { Middleware } from './application.ts';

/** What answering a failure of middleware takes. */
interface FailureOptions {
  readonly newId: () => string;
  readonly log: Log;
}

/**
 * Puts the application's own middleware in front of the door, in express, so that it sees every request in the
 * application's order. Express is loaded only for those who use it, and never answers by itself: its pages would show
 * stacks.
 */
export async function expressListener(
  door: Door,
  middleware: readonly Middleware[],
  options: FailureOptions,
): Promise<RequestListener> {
  const { default: express } = await import('express');
  const app = express();
  app.disable('x-powered-by');
  for (const one of middleware) app.use(one);
  app.use(door.middleware);
  const absent = door.listener();
  return (req, res) =>
    // Express makes its own request and response of these two, in place. `router` is no error: it asks to leave.
    app(req as Parameters<typeof app>[0], res as Parameters<typeof app>[1], (error?: unknown) => {
      if (error === undefined || error === null || error === 'router') absent(req, res);
      else answerFailure(error, req, res, options);
    });
}

/** Answers as the door answers a handler that fails: an `HTTPError` as it is, anything else without saying why. */
function answerFailure(
  error: unknown,
  req: IncomingMessage,
  res: ServerResponse,
  { newId, log }: FailureOptions,
): void {
  const { status, detail, headers } = toRefusal(error);
  const given = req.headers['x-request-id'];
  const requestId = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newId();
  if (status >= 500 && !(error instanceof HTTPError))
    log('error', 'middleware failed', { request_id: requestId, method: req.method, error });
  if (res.headersSent) {
    // The client must not take the part for the whole.
    res.destroy();
    return;
  }
  const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail, request_id: requestId };
  res.writeHead(status, {
    ...headers,
    'x-request-id': requestId,
    'content-type': 'application/problem+json',
  });
  res.end(JSON.stringify(problem));
}

interface Refusal {
  readonly status: number;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Express middleware blames its callers with a `status`; its words were not written for them. */
function toRefusal(error: unknown): Refusal {
  const { status } = typeof error === 'object' && error !== null ? (error as { status?: unknown }) : {};
  const phrase =
    typeof status === 'number' && status >= 400 && status <= 599 ? STATUS_CODES[status] : undefined;
  if (error instanceof HTTPError && phrase !== undefined)
    return { status: error.status, detail: error.message, headers: error.headers };
  if (phrase !== undefined && (status as number) < 500) return { status: status as number, detail: phrase };
  return { status: 500, detail: 'internal error' };
}
