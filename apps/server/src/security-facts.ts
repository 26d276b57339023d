import { isAuthenticationConfigured } from '@waymark/auth';
import { defaultMaxBodyBytes, type Finding, type RouteTable } from '@waymark/contract';
import type { AuthenticationFacts, LimitInForce, SecurityFacts } from '@waymark/control-plane';
import type { Declarations } from './application.ts';

/** What the security report of an application is made of, for the listing, the command line and the startup report. */
export function securityFacts(declarations: Declarations, table: RouteTable): SecurityFacts {
  const { plugins } = declarations;
  return {
    table,
    authentication: authenticationFacts(declarations),
    limits: limitsInForce(declarations),
    findings: plugins.flatMap((plugin): readonly Finding[] => plugin.findings?.() ?? []),
  };
}

function authenticationFacts({ credentials, settings }: Declarations): AuthenticationFacts {
  return {
    configured: isAuthenticationConfigured(credentials),
    keys: credentials.flatMap((one) =>
      one.kind === 'apiKey' ? [{ id: one.name, scopes: one.options.scopes }] : [],
    ),
    jwt: credentials.some(({ kind }) => kind === 'jwt'),
    anonymousScopes: credentials.flatMap((one) => (one.kind === 'anonymousScopes' ? one.options.scopes : [])),
    mcpScopes: settings.mcpScopes,
    allowUnauthenticated: settings.allowUnauthenticated,
  };
}

function limitsInForce({ settings }: Declarations): readonly LimitInForce[] {
  const { requestTimeout, agentTimeout, shutdownTimeout } = settings;
  return [
    { name: 'request_timeout', value: requestTimeout, unit: 's' },
    { name: 'agent_timeout', value: agentTimeout, unit: 's' },
    { name: 'shutdown_timeout', value: shutdownTimeout, unit: 's' },
    { name: 'body', value: defaultMaxBodyBytes, unit: 'bytes', note: 'a route may set its own' },
  ];
}
