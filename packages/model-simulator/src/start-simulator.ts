import { hash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SimulatorOptions } from './options.ts';
import { PromptCache } from './reply/prompt-cache.ts';
import { answerRequest } from './request/answer-request.ts';
import { Attempts } from './request/attempts.ts';
import type { State } from './request/exchange.ts';
import { type LoggedRequest, RequestLog } from './request/request-log.ts';

/** Simulated model server that listens, as `startSimulator` returns it. */
export interface Simulator {
  /**
   * Origin of the server: `http://127.0.0.1:41234`. It is the base URL for clients of Messages, and with `/v1` appended
   * for those of Chat Completions.
   */
  readonly url: string;
  /** The newest requests, oldest first; entries change until their answer is sent. */
  readonly requests: readonly LoggedRequest[];
  /** Forgets all requests, attempts and cached prefixes: what comes next is answered as if it was just started. */
  reset(): void;
  /** Stops listening and cuts what is still open. */
  close(): Promise<void>;
}

/** Starts a simulated model server that answers by scripts. @throws {Error} the port is taken */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = '127.0.0.1', maxRequests = 1000, cacheMinTokens = 1024 } = options;
  const log = new RequestLog(maxRequests);
  const attempts = new Attempts();
  const cache = new PromptCache(cacheMinTokens);
  let count = 0;
  const newId = () => `req_${hash('sha256', `request ${++count}`).slice(0, 24)}`;
  const state: State = { options, log, attempts, cache, newId };
  const server = createServer((request, response) => {
    void answerRequest(state, request, response);
  });
  // Longer than any client keeps an idle connection, or one might be closed under its next request.
  server.keepAliveTimeout = 120_000;
  await listen(server, port, host);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    get requests() {
      return log.entries;
    },
    reset() {
      log.clear();
      attempts.clear();
      cache.clear();
      count = 0;
    },
    close: () => close(server),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
