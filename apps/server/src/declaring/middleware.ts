import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Middleware in express's form, as `node:http` types it. The type of a method, because those are compared both ways:
 * handlers that ask for express's own request fit too, and get one.
 */
export type Middleware = {
  handle(req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): unknown;
}['handle'];
