import type { Problem, Route } from '@waymark/contract';
import { type Fault, isOptions, nearest, type RuleBook, toProblems } from '@waymark/contract/declaring';
import type { Declarations } from '../declaring/declarations.ts';

/** What holds for the scopes of routes and of callers, taken together. */
export const reachRules = {
  'scope-unreachable': 'A scope that a route needs is held by somebody.',
} as const satisfies RuleBook;

/**
 * Warns of scopes that no declared caller holds, no key and no watcher, once for each, at the first route that needs it.
 * Tokens may carry any scope, so nothing is said where they are taken.
 */
export function checkReach(
  routes: Iterable<Route>,
  { declared: { credentials, watchers } }: Declarations,
): readonly Problem[] {
  if (credentials.some(({ kind }) => kind === 'jwt')) return [];
  const granted = [
    ...credentials.flatMap((one) => (one.kind === 'jwt' ? [] : one.options.scopes)),
    // What its options are not, and what scopes are not, the check of the watcher says.
    ...watchers.flatMap(({ options }) => (isOptions(options) && options.scopes) || []),
  ].filter((scope) => typeof scope === 'string');
  const needing = new Map<string, Route[]>();
  for (const route of routes)
    for (const scope of route.plane === 'data' ? route.scopes : [])
      if (!granted.includes(scope)) needing.set(scope, [...(needing.get(scope) ?? []), route]);
  return [...needing].flatMap(([scope, [first, ...rest]]) =>
    first
      ? toProblems(`route ${first.method} ${first.path}`, first.declaredAt, [
          heldByNobody(scope, rest.length, granted),
        ])
      : [],
  );
}

function heldByNobody(
  scope: string,
  more: number,
  granted: readonly string[],
): Fault<keyof typeof reachRules> {
  const others = more === 0 ? '' : ` (like ${more} more)`;
  // More slips than a hand makes are another scope: "orders:read" is no misspelt "orders:write".
  const meant = nearest(scope, granted, 2);
  return {
    code: 'scope-unreachable',
    severity: 'warning',
    rule: `needs the scope "${scope}"${others}, and no key is granted it`,
    ...(meant !== undefined && { nearest: meant }),
    // A scope that is held opens the route to whoever holds it, so it is never what to write.
    fix: 'grant it to an apiKey, or correct the scopes of the route',
  };
}
