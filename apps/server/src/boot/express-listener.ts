import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { Door } from '@waymark/http';
import type { Middleware } from '../declaring/middleware.ts';
import { answerFailure, type FailureOptions } from './middleware-failure.ts';

const load = createRequire(import.meta.url);

/**
 * Puts the application's own middleware in front of the door, in express, so that it sees every request in the
 * application's order. Express is loaded only for those who use it, and never answers by itself: its pages would show
 * stacks.
 */
export function expressListener(
  door: Door,
  middleware: readonly Middleware[],
  options: FailureOptions,
): RequestListener {
  const express = load('express') as typeof import('express');
  const app = express();
  app.disable('x-powered-by');
  // What middleware answers by itself is held to the same hosts, origins and headers.
  app.use(door.protect);
  for (const one of middleware) app.use(one);
  app.use(door.middleware);
  const absent = door.listener();
  return (req, res) => {
    // Express makes its own request and response of these two, in place. `router` is no error: it asks to leave.
    app(req as Parameters<typeof app>[0], res as Parameters<typeof app>[1], (error?: unknown) => {
      if (error === undefined || error === null || error === 'router') absent(req, res);
      else answerFailure(error, req, res, options);
    });
  };
}
