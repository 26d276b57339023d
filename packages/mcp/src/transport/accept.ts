/** What the sender of a request takes in return: JSON, a stream of events, both, or neither. */
export interface Accepted {
  readonly json: boolean;
  /** Only where it is listed by name: whoever takes just anything expects one answer. */
  readonly events: boolean;
}

/** What nearly every client sends. */
const usual = 'application/json, text/event-stream';
const both: Accepted = { json: true, events: true };

/**
 * Reads an `Accept` header generously: many clients leave one of the two types out, so JSON is taken unless the
 * header lists other types only, or says no to it.
 */
export function readAccept(header: string | undefined): Accepted {
  if (header === usual) return both;
  if (header === undefined || header.trim() === '') return { json: true, events: false };
  const weights = new Map(header.split(',').map(toWeight));
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return { json: json > 0, events: (weights.get('text/event-stream') ?? 0) > 0 };
}

/** `Application/JSON;q=0.5` weighs 0.5. */
function toWeight(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [type, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}
