import type { Fault, RuleBook } from './rule-book.ts';

/** What holds for scopes wherever they are declared. */
export const scopeRules = {
  'scope-form': 'Scopes are a list of words without spaces.',
} as const satisfies RuleBook;

/** Scopes are words: a token separates them by spaces, and they are matched by equality. */
export function checkScopes(scopes: unknown): readonly Fault<keyof typeof scopeRules>[] {
  if (areScopes(scopes)) return [];
  const rule = 'scopes are not a list of words without spaces';
  return [{ code: 'scope-form', rule, fix: `write ${JSON.stringify(meant(scopes) ?? ['tickets:read'])}` }];
}

/** Whether a value can be the scopes of a route, a key or a run. */
export function areScopes(scopes: unknown): scopes is readonly string[] {
  return (
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === 'string' && /^[\x21-\x7e]+$/.test(scope))
  );
}

/** One text often holds several, as tokens write them. */
function meant(scopes: unknown): readonly string[] | undefined {
  const texts = (Array.isArray(scopes) ? scopes.flat() : [scopes]).filter((one) => typeof one === 'string');
  const words = texts.flatMap((text: string) => text.split(/[\s,]+/)).filter((word) => word !== '');
  return words.length > 0 && areScopes(words) ? words : undefined;
}
