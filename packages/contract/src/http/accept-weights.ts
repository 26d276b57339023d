/** The media ranges of an `Accept` header with their weights, in lower case; NaN where one is no number. */
export function acceptWeights(accept: string): ReadonlyMap<string, number> {
  return new Map(accept.split(',').map(toWeight));
}

function toWeight(range: string): readonly [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [type, weight === undefined ? 1 : Number(weight.slice(2) || Number.NaN)];
}
