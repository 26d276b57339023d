import type { IncomingMessage } from 'node:http';

/** What express and connect leave of a path that they have taken off. */
interface Mounted {
  readonly baseUrl?: unknown;
  readonly originalUrl?: unknown;
}

/**
 * The mount path as a request has it where that is ours in other letter case: express and connect do not look at case, and
 * what stands in front of them, such as a proxy with a rule for `/api/_svc`, does. Undefined otherwise.
 */
export function miscasedMount(req: IncomingMessage, mountPath: string): string | undefined {
  if (mountPath === '') return undefined;
  const { baseUrl, originalUrl } = req as IncomingMessage & Mounted;
  const spelt = typeof baseUrl === 'string' ? baseUrl : takenOff(req.url, originalUrl, mountPath.length);
  return spelt !== mountPath && spelt?.toLowerCase() === mountPath.toLowerCase() ? spelt : undefined;
}

/** Connect has no `baseUrl`. */
function takenOff(url: string | undefined, originalUrl: unknown, length: number): string | undefined {
  if (typeof originalUrl !== 'string' || originalUrl === url) return undefined;
  return /^([/?]|$)/.test(originalUrl.slice(length)) ? originalUrl.slice(0, length) : undefined;
}
