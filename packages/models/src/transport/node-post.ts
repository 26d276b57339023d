import * as http from 'node:http';
import type * as https from 'node:https';
import { createRequire } from 'node:module';
import { type Post, type PostAnswer, type PostOptions, TransportError } from './post.ts';

const load = createRequire(import.meta.url);

/** A transport, and the end of its connections. */
export interface NodePost {
  readonly post: Post;
  close(): void;
}

/** Connections to one provider at once; further requests wait for one. */
const maxSockets = 256;

/** Those that are kept while nobody uses them. */
const maxFreeSockets = 32;

/** A kept connection that its provider had closed breaks as soon as it is written to; later it was at work already. */
const staleWithinMs = 500;

/**
 * Makes the transport over node:http and node:https with connections that are kept. It needs no library and about
 * half the CPU of `fetch`; the figures are in the README.
 */
export function createNodePost(): NodePost {
  const options = { keepAlive: true, maxSockets, maxFreeSockets, scheduling: 'lifo' } as const;
  const plain = new http.Agent(options);
  let secure: { readonly agent: https.Agent; readonly request: typeof https.request } | undefined;
  const openSecure = (): NonNullable<typeof secure> => {
    // With the first request: TLS is a tenth of all that a server loads.
    const { Agent, request } = load('node:https') as typeof https;
    secure ??= { agent: new Agent(options), request };
    return secure;
  };
  return {
    async post(url, headers, body, options) {
      options.signal.throwIfAborted();
      const target = new URL(url);
      const send = (again: boolean): Promise<PostAnswer> => {
        const way = target.protocol === 'https:' ? openSecure() : { agent: plain, request: http.request };
        const request = way.request(target, {
          method: 'POST',
          agent: way.agent,
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        });
        const sentMs = performance.now();
        return answerOf(request, body, options).catch((error: unknown) => {
          // The provider closed a kept connection just as it was taken, and has not begun with the request.
          const stale = request.reusedSocket && performance.now() - sentMs < staleWithinMs;
          if (again && stale && isClosedEarly(error)) return send(false);
          throw error;
        });
      };
      return send(true);
    },
    close() {
      plain.destroy();
      secure?.agent.destroy();
    },
  };
}

function isClosedEarly(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** Sends the body and waits for the headers. */
function answerOf(request: http.ClientRequest, body: string, options: PostOptions): Promise<PostAnswer> {
  const { signal, timeoutMs, idleTimeoutMs } = options;
  return new Promise((resolve, reject) => {
    let cause: Error | undefined;
    const end = (error: Error): void => {
      cause ??= error;
      // Without the error: a connection that was given back already has nobody who listens for it.
      request.destroy();
    };
    const onAbort = (): void => end(signal.reason as Error);
    const late = (): void => end(new TransportError('timeout', 'the provider took too long'));
    let timer = setTimeout(late, timeoutMs);
    const watch = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(late, ms);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    // Whatever happens, a request ends with this; after an upgrade that nobody asked for with nothing before it.
    request.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      reject(failure(new Error('closed')));
    });
    const failure = (error: Error): Error =>
      cause ?? new TransportError('connection', 'the connection broke off', { cause: error });
    request.on('error', (error) => reject(failure(error)));
    request.once('response', (response) => {
      watch(idleTimeoutMs);
      // An answer that breaks before anybody reads it is not an uncaught exception.
      response.on('error', () => {});
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers as PostAnswer['headers'],
        read: (onChunk) => readBody(response, { onChunk, watch: () => watch(idleTimeoutMs), end, failure }),
        discard: () => request.destroy(),
      });
    });
    request.end(body);
  });
}

interface Reading {
  onChunk(chunk: Uint8Array): void;
  /** Starts the time to the next piece. */
  watch(): void;
  end(error: Error): void;
  failure(error: Error): Error;
}

function readBody(response: http.IncomingMessage, reading: Reading): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Uint8Array) => {
      reading.watch();
      try {
        reading.onChunk(chunk);
      } catch (error) {
        reject(error);
        reading.end(error as Error);
      }
    });
    response.once('error', (error) => reject(reading.failure(error)));
    response.once('end', () => resolve());
    response.once('close', () => reject(reading.failure(new Error('closed'))));
  });
}
