import { ProblemError, type SocketClientOptions } from '@waymark/client-gen/runtime';

/** The one request that the sockets of a client make. */
interface ProbeRequest {
  readonly method: string;
  readonly path: string;
  readonly timeoutMs: number;
}

/**
 * Stands in for the requests of a generated client in what is bundled, where they would be a third of everything: its
 * sockets make one, without a body, which tells why they do not open, and never repeat it.
 *
 * @throws {ProblemError} any answer that is no success
 */
export async function send(
  { baseUrl, apiKey, token }: SocketClientOptions,
  { method, path, timeoutMs }: ProbeRequest,
  _values: object,
  { signal }: { readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const key: Record<string, string> = {};
  if (apiKey !== undefined) key['x-api-key'] = apiKey;
  if (typeof token === 'string') key['authorization'] = `Bearer ${token}`;
  const response = await fetch(`${baseUrl}${path}`, {
    ...{ method, headers: key },
    signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    // Followed to another origin, a redirect would take the key along.
    redirect: 'manual',
  });
  if (response.ok) return;
  const text = await response.text();
  throw new ProblemError(response, readJson(text) ?? text);
}

/** Of a credential, which is text. */
export function toText(_name: string, value: unknown): string {
  return String(value);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
