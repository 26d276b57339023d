import type { Route } from '@waymark/contract';
import { anonymous, holds } from '@waymark/contract/principal';
import { controlScopes } from '../control-rule.ts';
import { authenticationOf, type SecurityFacts } from './facts.ts';

/** The scopes that a caller needs to reach a route, the rule of the control plane included. */
export function neededScopes(facts: SecurityFacts, { plane, path, scopes }: Route): readonly string[] {
  const { configured, ...options } = authenticationOf(facts);
  // Without authentication it is the address that decides there.
  return plane === 'control' && configured ? [...controlScopes(path, options), ...scopes] : scopes;
}

/** Says whether anybody reaches a route, without any credential and from any address. */
export function isPublic(facts: SecurityFacts, route: Route): boolean {
  const { configured, anonymousScopes } = authenticationOf(facts);
  if (route.facts.named || (route.plane === 'control' && !configured)) return false;
  return holds(anonymous(anonymousScopes), neededScopes(facts, route));
}

/** Says whether a route is a tool that asks a human. */
export function isGated({ tool, approval }: Route): boolean {
  return tool && approval === 'required';
}

/** How texts call a route: `POST /tickets`. */
export function labelOf({ table }: SecurityFacts, route: Route): string {
  return `${route.method} ${table.pathOf(route)}`;
}
