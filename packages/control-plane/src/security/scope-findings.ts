import type { Route } from '@waymark/contract';
import type { Finding } from '@waymark/contract/declaring';
import { adminScope } from '@waymark/contract/principal';
import { authenticationOf, type SecurityFacts } from './facts.ts';
import { note, suggestion, warning } from './finding.ts';
import { isGated, isPublic, labelOf, neededScopes } from './surface.ts';

/** What somebody was given by declaration. `key` is absent for anonymous callers. */
interface Holder {
  readonly key?: string;
  readonly scopes: readonly string[];
}

/** Finds scopes that do not meet: asked for and held by nobody, or held and never asked for. */
export function scopeFindings(facts: SecurityFacts): readonly Finding[] {
  if (!facts.authentication) return [];
  const { keys, anonymousScopes, jwt } = authenticationOf(facts);
  const holders: readonly Holder[] = [
    ...keys.map(({ id, scopes }) => ({ key: id, scopes })),
    { scopes: anonymousScopes },
  ];
  return [
    // A token may carry any scope.
    ...(jwt ? [] : [...deadRoutes(facts, holders), ...deadGates(facts, holders)]),
    ...idleScopes(facts, holders),
    ...mixedKeys(holders),
    ...directKeys(facts, holders),
  ];
}

/** One finding for each scope nobody holds, and one for each route whose scopes nobody holds together. */
function deadRoutes(facts: SecurityFacts, holders: readonly Holder[]): readonly Finding[] {
  const granted = new Set(holders.flatMap(({ scopes }) => scopes));
  const guarded = [...facts.table].map((route) => ({ route, needed: neededScopes(facts, route) }));
  const missing = new Set(guarded.flatMap(({ needed }) => needed.filter((scope) => !granted.has(scope))));
  return [
    ...[...missing].map((scope) => {
      const routes = guarded.filter(({ needed }) => needed.includes(scope)).map(({ route }) => route);
      return warning(
        `nobody reaches ${labels(facts, routes)}: scope "${scope}" is granted to nobody${suggestion(scope, granted)}`,
        'grant it to an API key, or correct the scopes of the route',
      );
    }),
    ...guarded
      .filter(({ needed }) => needed.every((scope) => granted.has(scope)) && !someHolds(holders, needed))
      .map(({ route, needed }) =>
        warning(
          `nobody reaches ${labelOf(facts, route)}: ${list(needed)} are granted to different callers only`,
          'grant them to one API key',
        ),
      ),
  ];
}

/** An approver needs `svc:admin` and the scope of the gate, both. */
function deadGates(facts: SecurityFacts, holders: readonly Holder[]): readonly Finding[] {
  const { configured } = authenticationOf(facts);
  const granted = holders.flatMap(({ scopes }) => scopes);
  return [...facts.table].flatMap((route) => {
    const { scope } = route.approver;
    if (!isGated(route) || scope === undefined) return [];
    const needed = configured ? [adminScope, scope] : [scope];
    if (someHolds(holders, needed)) return [];
    const hint = granted.includes(scope) ? '' : suggestion(scope, granted);
    return [
      warning(
        `nobody can approve tool "${route.name}": no caller holds ${list(needed)}${hint}`,
        `grant "${scope}" to an API key that holds "${adminScope}", or correct the approver of the tool`,
      ),
    ];
  });
}

function idleScopes(facts: SecurityFacts, holders: readonly Holder[]): readonly Finding[] {
  const needed = new Set([adminScope]);
  for (const route of facts.table) {
    for (const scope of neededScopes(facts, route)) needed.add(scope);
    if (isGated(route) && route.approver.scope !== undefined) needed.add(route.approver.scope);
  }
  return holders.flatMap(({ key, scopes }) =>
    scopes
      .filter((scope) => !needed.has(scope))
      .map((scope) =>
        warning(
          `${key === undefined ? 'anonymous callers hold' : `API key "${key}" holds`} "${scope}", which no route needs${suggestion(scope, needed)}`,
          `correct it, or take it out of ${key === undefined ? 'anonymousScopes' : 'the key'}`,
        ),
      ),
  );
}

/** Convenient, and what an operator may want: a note, no warning. */
function mixedKeys(holders: readonly Holder[]): readonly Finding[] {
  return holders
    .filter(({ key, scopes }) => key !== undefined && scopes.includes(adminScope) && scopes.length > 1)
    .map(({ key }) =>
      note(
        `API key "${key}" holds "${adminScope}" beside other scopes: who learns it can also approve what it asks for`,
        `keep "${adminScope}" on a key of its own`,
      ),
    );
}

/** The gate of a tool makes agents wait, and nobody who sends its request; people who start an agent need its scopes, too. */
function directKeys(facts: SecurityFacts, holders: readonly Holder[]): readonly Finding[] {
  const gated = [...facts.table].filter((route) => isGated(route) && !isPublic(facts, route));
  return holders
    .filter(({ key, scopes }) => key !== undefined && !scopes.includes(adminScope))
    .flatMap((holder) => {
      const reached = gated.filter((route) => someHolds([holder], neededScopes(facts, route)));
      return reached.length === 0
        ? []
        : [
            note(
              `API key "${holder.key}" calls ${labels(facts, reached)} directly, and no human is asked: only agents are made to wait`,
              'take the scope out of the key; where its agents need it, let the handler refuse whoever is no agent: user.id === user.root_id',
            ),
          ];
    });
}

function someHolds(holders: readonly Holder[], needed: readonly string[]): boolean {
  return holders.some(({ scopes }) => needed.every((scope) => scopes.includes(scope)));
}

function list(scopes: readonly string[]): string {
  return scopes.map((scope) => `"${scope}"`).join(' and ');
}

/** The first route stands for all: a scope may guard hundreds. */
function labels(facts: SecurityFacts, [first, ...rest]: readonly Route[]): string {
  if (!first) return 'any route';
  const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
  return `${labelOf(facts, first)}${more}`;
}
