import { ProblemError } from '@waymark/client-gen/runtime';

/** Of the options of a client, what a request needs. */
interface Client {
  readonly baseUrl: string | URL;
  readonly token?: string | (() => string | Promise<string>) | undefined;
  readonly apiKey?: string | undefined;
}

/** The request that asks why a socket does not open. */
interface Question {
  readonly method: string;
  readonly path: string;
  readonly timeoutMs: number;
}

/**
 * Stands in for the requests of the client's runtime in what is bundled, where they would be a third of everything: a device
 * makes one kind of request, which takes nothing and is not repeated.
 */
export async function send(
  { baseUrl, token, apiKey }: Client,
  { method, path, timeoutMs }: Question,
  _values: object,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const bearer = typeof token === 'function' ? await token() : token;
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(String(baseUrl).replace(/\/+$/, '') + path, {
    method,
    headers: {
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    // Followed to another origin, a redirect would take the key along.
    redirect: 'manual',
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
  });
  if (!response.ok) throw new ProblemError(response, await response.json().catch(() => undefined));
}

/** A credential as it stands in the query of an upgrade. */
export function toText(_name: string, value: unknown): string {
  return String(value);
}
