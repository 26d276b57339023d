import {
  type Application,
  type ApplicationOptions,
  createApplication,
  type RunningApplication,
} from '@waymark/server';
import { onTestFinished } from 'vitest';

/** A secret long enough for a key. */
export const secret = 'a-secret-of-more-than-16-bytes';

/** The secret of another key. */
export const otherSecret = 'another-secret-of-enough-bytes';

/** An application that reads nothing from the machine it is tested on. */
export function application(
  options: ApplicationOptions = {},
  env: Readonly<Record<string, string>> = {},
): Application {
  return createApplication('shop', {
    port: 0,
    ...options,
    env: { LOG_LEVEL: 'silent', SHOP_KEY: secret, OTHER_KEY: otherSecret, ...env },
  });
}

/** Listens until the test is over. */
export async function serve(
  app: Application,
  flags?: Parameters<Application['listen']>[0],
): Promise<RunningApplication> {
  const running = await app.listen(flags);
  // Not waited for: a server listens for a tenth of a second more, which would be most of the time of many tests.
  onTestFinished(() => void running.close());
  return running;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  /** Without parameters. */
  readonly type: string | undefined;
  readonly headers: Headers;
  /** Parsed where it is JSON, else text. */
  readonly body: unknown;
}

/** Sends one request; a `body` that is no string goes as JSON. */
export async function ask(
  url: string,
  {
    method,
    key,
    body,
    headers = {},
  }: {
    readonly method?: string;
    readonly key?: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get('content-type')?.split(';')[0];
  const { status, headers: answered } = response;
  return {
    status,
    type,
    headers: answered,
    body: type?.endsWith('json') && text !== '' ? (JSON.parse(text) as unknown) : text,
  };
}

/** Calls one JSON-RPC method of MCP and gives its result, or its error. */
export async function rpc(
  url: string,
  method: string,
  params: object = {},
  options: { readonly key?: string; readonly prefix?: string } = {},
): Promise<Record<string, unknown>> {
  const { key, prefix = '/_svc' } = options;
  const { body } = await ask(`${url}${prefix}/mcp`, {
    ...(key !== undefined && { key }),
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  const { result, error } = body as { result?: Record<string, unknown>; error?: Record<string, unknown> };
  return result ?? error ?? {};
}

/** A promise, and the function that keeps it. */
export function deferred<T = void>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}
