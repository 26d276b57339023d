import { eventStreamType } from './event-stream-text.ts';

/**
 * Whether an `Accept` header asks for server-sent events: it names them, which a wildcard does not, and likes JSON no
 * better (RFC 9110, 12.5.1).
 */
export function wantsEvents(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(eventStreamType)) return false;
  const weights = new Map(accept.split(',').map(toWeight));
  const events = weights.get(eventStreamType) ?? 0;
  const json = jsonRanges.map((range) => weights.get(range)).find((weight) => weight !== undefined) ?? 0;
  return events > 0 && events >= json;
}

/** What covers JSON, the most specific first: that one counts. */
const jsonRanges = ['application/json', 'application/*', '*/*'];

/** One media range and its weight; NaN, which is liked by nobody, where that is no number. */
function toWeight(range: string): readonly [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [type, weight === undefined ? 1 : Number(weight.slice(2) || Number.NaN)];
}
