import { type IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HTTPError } from '@waymark/contract';
import type { Door } from '@waymark/http';
import type { Middleware } from '../declaring/middleware.ts';
import { answerFailure, type FailureOptions } from './middleware-failure.ts';

const load = createRequire(import.meta.url);

/** What the middleware in front of upgrades is given. */
export interface UpgradeOptions extends FailureOptions {
  /** Milliseconds after which middleware that has neither answered nor passed an upgrade on is given up. */
  readonly patienceMs: number;
}

/**
 * Puts the application's own middleware in front of upgrades, as `expressListener` does in front of requests: what it answers
 * is the answer, and what it passes on is upgraded by the door. Headers that it has set are none of an accepted upgrade.
 */
export function expressUpgrade(
  door: Pick<Door, 'protect' | 'upgrade'>,
  middleware: readonly Middleware[],
  { patienceMs, ...options }: UpgradeOptions,
): Door['upgrade'] {
  const express = load('express') as typeof import('express');
  const app = express();
  app.disable('x-powered-by');
  app.use(door.protect);
  for (const one of middleware) app.use(one);
  return (req, socket, head) => {
    // Node has taken its own listener away; a reset without one would end the process.
    socket.on('error', () => {});
    const res = responseOn(req, socket);
    const fail = (error: unknown): void => answerFailure(error, req, res, options);
    const giveUp = (): void => {
      if (!res.headersSent) fail(new HTTPError(504, 'the upgrade took too long'));
    };
    const timer = setTimeout(giveUp, patienceMs);
    res.once('close', () => clearTimeout(timer));
    let isPassed = false;
    app(req as Parameters<typeof app>[0], res as Parameters<typeof app>[1], (error?: unknown) => {
      // It was answered already, given up, or passed on before; or its client has gone.
      if (isPassed || res.headersSent || socket.destroyed) return;
      if (error !== undefined && error !== null && error !== 'router') {
        fail(error);
        return;
      }
      isPassed = true;
      clearTimeout(timer);
      res.detachSocket(socket as Socket);
      door.upgrade(req, socket, head);
    });
  };
}

/** What middleware may answer with: the connection ends behind it. */
function responseOn(req: IncomingMessage, socket: Duplex): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  // It only writes and listens for `close`, as any stream can: the event promises a Duplex, and hands out sockets.
  res.assignSocket(socket as Socket);
  res.once('finish', () => (socket as Socket).destroySoon());
  return res;
}
