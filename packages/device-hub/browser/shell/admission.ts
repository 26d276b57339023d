import type { Credentials } from './credentials.ts';
import type { Trouble } from './trouble.ts';

/** A request that needs what a page needs, and changes nothing. */
export interface Probe {
  /** Of a `POST` nothing is sent, which the server refuses only after it let the caller in. */
  readonly method: 'GET' | 'POST';
  /** Below the device: `telemetry`. */
  readonly path: string;
}

/** Whether the server lets somebody in. */
export type Standing =
  | { readonly admitted: true; readonly answer: unknown }
  | {
      readonly admitted: false;
      readonly trouble: Trouble;
      /** In the words of the server. */
      readonly detail?: string;
      readonly retryAfterMs?: number;
    };

/** How long the server may think about it. */
const patienceMs = 15_000;

/** Asks the server whether it lets somebody in: no socket tells why it does not open. */
export async function askAdmission(
  deviceUrl: string,
  { method, path }: Probe,
  credentials: Credentials,
): Promise<Standing> {
  const headers = readHeaders(credentials);
  // No server can know a key that cannot be sent.
  if (!headers) return { admitted: false, trouble: 'key-wrong' };
  try {
    const response = await fetch(`${deviceUrl}/${path}`, {
      ...{ method, headers },
      // Followed elsewhere, a redirect would take the key along.
      redirect: 'error',
      cache: 'no-store',
      signal: AbortSignal.timeout(patienceMs),
    });
    return await toStanding(response, credentials);
  } catch {
    return { admitted: false, trouble: 'no-connection' };
  }
}

/** The trouble that a status stands for; undefined where somebody was let in. */
export function toTrouble(status: number, credentials: Credentials): Trouble | undefined {
  if (status === 401) return toKeyTrouble(credentials);
  if (status === 403) return 'scope-missing';
  if (status === 404) return 'device-unknown';
  if (status === 429) return 'too-fast';
  if (status === 502 || status === 503 || status === 504) return 'restarting';
  return status >= 500 ? 'failed' : undefined;
}

async function toStanding(response: Response, credentials: Credentials): Promise<Standing> {
  const body: unknown = await response.json().catch(() => undefined);
  const trouble = toTrouble(response.status, credentials);
  if (trouble === undefined) return { admitted: true, answer: body };
  const detail = (body as { readonly detail?: unknown } | null | undefined)?.detail;
  const retryAfterMs = readRetryAfter(response);
  return {
    ...{ admitted: false, trouble },
    ...(typeof detail === 'string' && { detail }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function toKeyTrouble(credentials: Credentials): Trouble {
  if (credentials.key === undefined) return 'key-missing';
  return credentials.isExpired() ? 'key-expired' : 'key-wrong';
}

function readHeaders(credentials: Credentials): Headers | undefined {
  try {
    return new Headers(credentials.forRequest());
  } catch {
    return undefined;
  }
}

/** `Retry-After` in milliseconds, up to a minute. */
export function readRetryAfter({ headers }: Pick<Response, 'headers'>): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? Math.min(seconds, 60) * 1000 : undefined;
}
