import { acceptWeights } from './accept-weights.ts';
import { eventStreamType } from './event-stream-text.ts';

/**
 * Whether an `Accept` header asks for server-sent events: it names them, which a wildcard does not, and likes JSON no
 * better (RFC 9110, 12.5.1).
 */
export function wantsEvents(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(eventStreamType)) return false;
  const weights = acceptWeights(accept);
  const events = weights.get(eventStreamType) ?? 0;
  const json = jsonRanges.map((range) => weights.get(range)).find((weight) => weight !== undefined) ?? 0;
  return events > 0 && events >= json;
}

/** What covers JSON, the most specific first: that one counts. */
const jsonRanges = ['application/json', 'application/*', '*/*'];
