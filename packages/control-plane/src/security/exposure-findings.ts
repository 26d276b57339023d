import type { Route } from '@waymark/contract';
import type { Finding } from '@waymark/contract/declaring';
import { adminScope } from '@waymark/contract/principal';
import { authenticationOf, type SecurityFacts } from './facts.ts';
import { note, warning } from './finding.ts';
import { isGated, isPublic, labelOf } from './surface.ts';

/** Finds what is open to more callers than it should be. */
export function exposureFindings(facts: SecurityFacts): readonly Finding[] {
  return [
    ...authenticationFindings(facts),
    ...[...facts.table].flatMap((route) => routeFindings(facts, route)),
  ];
}

function authenticationFindings(facts: SecurityFacts): readonly Finding[] {
  const { configured, anonymousScopes, allowUnauthenticated, openapi } = authenticationOf(facts);
  return [
    ...(configured
      ? []
      : [
          warning(
            'no authentication is configured: every route without scopes answers anybody who connects',
            'declare an apiKey or a jwt',
          ),
        ]),
    ...(allowUnauthenticated
      ? [
          warning(
            'allowUnauthenticated lets the service listen beyond this machine without authentication',
            'remove allowUnauthenticated',
          ),
        ]
      : []),
    ...(anonymousScopes.includes(adminScope)
      ? [
          warning(
            `anonymous callers hold "${adminScope}": the control plane and its approvals are open to them`,
            `take "${adminScope}" out of anonymousScopes`,
          ),
        ]
      : []),
    // Without authentication it stays on this machine, as everything under the prefix.
    ...(configured && openapi === 'public'
      ? [
          note(
            'the OpenAPI document is public: anybody reads every route, its schemas and its scopes',
            "take openapi: 'public' out",
          ),
        ]
      : []),
  ];
}

function routeFindings(facts: SecurityFacts, route: Route): readonly Finding[] {
  // Who reaches the control plane is one question, asked above.
  if (route.plane === 'control') return [];
  const label = labelOf(facts, route);
  const gateless =
    route.approval === 'required' && !route.tool
      ? [warning(`${label} asks for approval and is no tool, so nothing is ever asked`, 'set tool: true')]
      : [];
  return isPublic(facts, route) ? [...gateless, ...publicFindings(route, label)] : gateless;
}

/** One finding for each route, the gravest: anybody may call what agents must ask for, spend money, change state. */
function publicFindings(route: Route, label: string): readonly Finding[] {
  const { startsRun } = route.facts;
  if (isGated(route))
    return [
      warning(
        `gated tool "${route.name}" answers anybody who calls ${label} directly: only agents are made to wait`,
        closingFix(route, 'scopes'),
      ),
    ];
  // The socket of an agent is no second agent.
  if (startsRun !== undefined)
    return route.socket
      ? []
      : [warning(`anybody can start ${startsRun} "${route.name}"`, closingFix(route, 'exposeScopes'))];
  return route.readOnly
    ? []
    : [warning(`${label} changes state and answers anybody`, closingFix(route, 'scopes'))];
}

/** A route is public because it asks for nothing, or because anonymous callers hold what it asks for. */
function closingFix({ scopes }: Route, option: 'scopes' | 'exposeScopes'): string {
  const list = scopes.map((scope) => `"${scope}"`).join(' or ');
  return scopes.length === 0 ? `give it ${option}` : `take ${list} out of anonymousScopes`;
}
