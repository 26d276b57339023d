import type { RequestListener } from 'node:http';
import type { Door } from '@waymark/http';
import type { Middleware } from './application.ts';

/**
 * Puts the application's own middleware in front of the door, in express, so that it sees every request in the
 * application's order. Express is loaded only for those who use it.
 */
export async function expressListener(
  door: Door,
  middleware: readonly Middleware[],
): Promise<RequestListener> {
  const { default: express } = await import('express');
  const app = express();
  app.disable('x-powered-by');
  for (const one of middleware) app.use(one);
  app.use(door.middleware);
  // What nobody took is answered by the door once more, as a problem document instead of express's HTML.
  app.use(door.listener());
  return app;
}
