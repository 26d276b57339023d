import { credentialLimits, isAuthenticationConfigured } from '@waymark/auth';
import type { RouteTable } from '@waymark/contract';
import type { Finding, LimitInForce } from '@waymark/contract/declaring';
import type { Plugin } from '@waymark/contract/engine';
import { defaultMaxBodyBytes } from '@waymark/contract/route';
import type { AuthenticationFacts, SecurityFacts, SecurityHeadersFacts } from '@waymark/control-plane';
import { dispatcherLimits } from '@waymark/core-routes';
import {
  type FailureLimitOptions,
  listenerLimits,
  pagesPolicy,
  type RateLimitOptions,
  type SecurityHeadersOptions,
} from '@waymark/http';
import { mcpLimits } from '@waymark/mcp';
import { anonymousScopesOf } from '../declaring/anonymous-scopes.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { subjectFindings } from './subject-findings.ts';

type ApplicationFacts = SecurityFacts & { readonly authentication: Required<AuthenticationFacts> };

/** What an application was put together to. */
export interface Composed {
  readonly table: RouteTable;
  /** Those of the features and those that were added. */
  readonly plugins: readonly Plugin[];
}

/** What the security report of an application is made of, for the listing, the command line and the startup report. */
export function securityFacts(declarations: Declarations, { table, plugins }: Composed): ApplicationFacts {
  const { policies, settings } = declarations;
  const { trustProxy } = settings.wire;
  return {
    table,
    authentication: authenticationFacts(declarations),
    limits: [...limitsOfServer(declarations), ...plugins.flatMap((plugin) => plugin.limits?.() ?? [])],
    ...(policies.cors && { cors: policies.cors }),
    securityHeaders: { ...defaultHeaders, ...asSent(given(policies.securityHeaders ?? {})) },
    ...(trustProxy !== undefined && { trustProxy }),
    allowedHosts: settings.wire.allowedHosts ?? [],
    findings: [
      ...mcpFindings(declarations),
      ...credentialFindings(declarations),
      ...subjectFindings(declarations.declared.credentials),
      ...plugins.flatMap((plugin): readonly Finding[] => plugin.findings?.() ?? []),
    ],
  };
}

/** An empty list is held by everybody. */
function mcpFindings({ settings, declared: { credentials } }: Declarations): readonly Finding[] {
  if (settings.mcpScopes.length > 0 || !isAuthenticationConfigured(credentials)) return [];
  return [
    {
      severity: 'warning',
      text: 'mcpScopes is empty: MCP and the tool listing answer anybody',
      fix: 'name a scope in mcpScopes',
    },
  ];
}

/** Whose word is taken besides that of keys in their own header. */
function credentialFindings({ declared: { credentials } }: Declarations): readonly Finding[] {
  return credentials.flatMap((one): readonly Finding[] => {
    if (one.kind === 'apiKey' && one.options.bearer === true)
      return [
        {
          severity: 'info',
          text: `API key "${one.name}" is also taken as a bearer token`,
          fix: 'take bearer out where its client can send x-api-key',
        },
      ];
    if (one.kind !== 'jwt' || one.options.env !== undefined) return [];
    const { issuer, audience = 'the MCP endpoint' } = one.options;
    return [
      {
        severity: 'info',
        text: `tokens of ${issuer} for ${audience} are taken, with the keys that it publishes`,
        fix: 'name the one algorithm that it signs with, where it does not change',
      },
    ];
  });
}

function authenticationFacts({ declared, settings }: Declarations): Required<AuthenticationFacts> {
  const { credentials } = declared;
  return {
    configured: isAuthenticationConfigured(credentials),
    keys: credentials.flatMap((one) =>
      one.kind === 'apiKey' ? [{ id: one.name, scopes: one.options.scopes }] : [],
    ),
    jwt: credentials.some(({ kind }) => kind === 'jwt'),
    anonymousScopes: anonymousScopesOf({ declared }),
    mcpScopes: settings.mcpScopes,
    openapi: settings.openapi,
    allowUnauthenticated: settings.allowUnauthenticated,
  };
}

/** What the door sends where nothing else is declared; a test compares the report with what is sent. */
const defaultHeaders: SecurityHeadersFacts = {
  enabled: true,
  frameOptions: 'DENY',
  referrerPolicy: 'strict-origin-when-cross-origin',
  hstsMaxAge: 31_536_000,
};

/** With the policy that a word stands for. */
function asSent(headers: SecurityHeadersOptions): SecurityHeadersOptions {
  return headers.contentSecurityPolicy === 'pages'
    ? { ...headers, contentSecurityPolicy: pagesPolicy }
    : headers;
}

/** An option may be there and hold nothing, which is no reason to hide its default. */
function given<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function limitsOfServer({ settings, policies }: Declarations): readonly LimitInForce[] {
  const { requestTimeout, agentTimeout, shutdownTimeout, maxSocketsPerCaller, limits } = settings;
  const { capacity, perCaller, ttl, maxBytes } = settings.sessions;
  return [
    { name: 'request_timeout', value: requestTimeout, unit: 's' },
    { name: 'agent_timeout', value: agentTimeout, unit: 's' },
    { name: 'shutdown_timeout', value: shutdownTimeout, unit: 's' },
    ...rateLimits(policies.rateLimit),
    ...failureLimits(settings.wire.failureLimit),
    { name: 'body', value: defaultMaxBodyBytes, unit: 'bytes', note: 'a route may set its own' },
    {
      name: 'body_values',
      value: settings.limits.bodyValues,
      unit: 'values',
      note: 'items and members of JSON; a route may set its own',
    },
    { name: 'body_time', value: requestTimeout, unit: 's', note: 'for a whole request to arrive' },
    ...listenerLimits(requestTimeout * 1_000),
    ...dispatcherLimits,
    {
      name: 'runs_kept',
      value: settings.runs.keepRuns,
      unit: 'runs',
      note: `${settings.runs.keepDays} days`,
    },
    {
      name: 'run_bytes',
      value: settings.runs.keepBytesPerCaller,
      unit: 'bytes',
      note: 'kept runs of each caller',
    },
    { name: 'sessions', value: Math.min(perCaller, capacity), unit: 'conversations', note: 'each caller' },
    { name: 'sessions_total', value: capacity, unit: 'conversations', note: 'all callers' },
    { name: 'session_time', value: ttl, unit: 's', note: 'after the last turn' },
    { name: 'session_bytes', value: maxBytes, unit: 'bytes', note: 'what was said in one conversation' },
    {
      name: 'bodies_in_flight',
      value: limits.bodyBytesPerCaller,
      unit: 'bytes',
      note: 'each caller, until the answer',
    },
    { name: 'bodies_in_flight_total', value: limits.bodyBytes, unit: 'bytes', note: 'all callers' },
    { name: 'sockets', value: maxSocketsPerCaller, unit: 'open WebSockets and streams', note: 'each caller' },
    {
      name: 'sockets_total',
      value: limits.sockets,
      unit: 'open WebSockets and streams',
      note: 'all callers',
    },
    ...credentialLimits,
    {
      name: 'ended_sign_ins',
      value: limits.endedSignIns,
      unit: 'sessions of browsers',
      note: 'ended before their time, as remembered',
    },
    ...mcpLimits,
  ];
}

function rateLimits(declared: RateLimitOptions | undefined): readonly LimitInForce[] {
  if (!declared) return [{ name: 'rate_limit', value: 'none' }];
  const { perSecond = 50, burst = 100 } = declared;
  return [
    { name: 'rate_limit', value: perSecond, unit: 'requests/s', note: 'each caller' },
    { name: 'rate_limit_burst', value: burst, unit: 'requests at once' },
  ];
}

function failureLimits({ perSecond = 20, burst = 200 }: FailureLimitOptions = {}): readonly LimitInForce[] {
  const unit = '401 and 404';
  return [
    { name: 'failure_limit', value: perSecond, unit: `${unit} a second`, note: 'each client address' },
    { name: 'failure_limit_burst', value: burst, unit: `${unit} at once` },
  ];
}
