import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Middleware in the form of express, typed by `node:http`. Handlers typed with the request and response of express fit
 * too, and get them: the type is that of a method, whose parameters compare both ways.
 */
export type Middleware = {
  handle(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown;
}['handle'];
