import { type Static, Type } from '@waymark/contract';
import type { Finding } from '@waymark/contract/declaring';
import { exposureFindings } from './exposure-findings.ts';
import { authenticationOf, type SecurityFacts, type SecurityHeadersFacts } from './facts.ts';
import { policyFindings } from './policy-findings.ts';
import {
  gatedRow,
  memoryRow,
  publicRow,
  runnableRow,
  toGatedRows,
  toMemoryRows,
  toPublicRows,
  toRunnableRows,
} from './rows.ts';
import { scopeFindings } from './scope-findings.ts';

/** Security report as it is sent: what is public, gated and limited, and each unsafe choice with its fix. */
export type SecurityReport = Static<typeof securityReport>;

/**
 * Makes the security report of an application: what `GET {control_prefix}/security` answers and `waymark security`
 * prints. Members about absent facts are null or empty.
 */
export function toSecurityReport(facts: SecurityFacts): SecurityReport {
  const { authentication, limits = [], cors, securityHeaders, trustProxy, allowedHosts = [] } = facts;
  const findings = [
    ...exposureFindings(facts),
    ...scopeFindings(facts),
    ...policyFindings(facts),
    ...(facts.findings ?? []),
  ];
  return {
    auth_configured: authentication?.configured ?? null,
    anonymous_scopes: [...authenticationOf(facts).anonymousScopes],
    public_surface: toPublicRows(facts),
    gated_tools: toGatedRows(facts),
    agents: toRunnableRows(facts, 'agent'),
    behaviours: toRunnableRows(facts, 'behaviour'),
    flows: toRunnableRows(facts, 'flow'),
    memories: toMemoryRows(facts),
    limits: limits.map((limit) => ({ ...limit })),
    cors: cors ? { origins: [...cors.origins], credentials: cors.credentials ?? false } : null,
    security_headers: securityHeaders ? toHeadersRecord(securityHeaders) : null,
    trust_proxy: typeof trustProxy === 'object' ? [...trustProxy] : (trustProxy ?? null),
    allowed_hosts: [...allowedHosts],
    warnings: linesOf(findings, 'warning'),
    notes: linesOf(findings, 'info'),
  };
}

function toHeadersRecord(headers: SecurityHeadersFacts): SecurityReport['security_headers'] {
  return {
    enabled: headers.enabled,
    frame_options: headers.frameOptions ?? null,
    referrer_policy: headers.referrerPolicy ?? null,
    content_security_policy: headers.contentSecurityPolicy ?? null,
    hsts_max_age: headers.hstsMaxAge ?? null,
  };
}

function linesOf(findings: readonly Finding[], severity: Finding['severity']): Static<typeof line>[] {
  return findings
    .filter((finding) => finding.severity === severity)
    .map(({ text, fix = null }) => ({ text, fix }));
}

const closed = { additionalProperties: false };
const textOrNull = Type.Union([Type.String(), Type.Null()]);

const line = Type.Object(
  // Only a plugin can leave the fix out.
  { text: Type.String(), fix: textOrNull },
  closed,
);

const limitRow = Type.Object(
  {
    name: Type.String(),
    value: Type.Union([Type.Number(), Type.Literal('none')]),
    unit: Type.Optional(Type.String()),
    note: Type.Optional(Type.String()),
  },
  closed,
);

const headersRecord = Type.Object(
  {
    enabled: Type.Boolean(),
    frame_options: textOrNull,
    referrer_policy: textOrNull,
    content_security_policy: textOrNull,
    hsts_max_age: Type.Union([Type.Integer(), Type.Null()], { description: 'Seconds.' }),
  },
  closed,
);

/** The schema of a security report. */
export const securityReport = Type.Object(
  {
    auth_configured: Type.Union([Type.Boolean(), Type.Null()]),
    anonymous_scopes: Type.Array(Type.String()),
    public_surface: Type.Array(publicRow, { description: 'The routes that anybody reaches.' }),
    gated_tools: Type.Array(gatedRow, { description: 'The tools that agents use with approval only.' }),
    agents: Type.Array(runnableRow),
    behaviours: Type.Array(runnableRow),
    flows: Type.Array(runnableRow),
    memories: Type.Array(memoryRow),
    limits: Type.Array(limitRow, { description: 'The limits in force.' }),
    cors: Type.Union([
      Type.Object({ origins: Type.Array(Type.String()), credentials: Type.Boolean() }, closed),
      Type.Null(),
    ]),
    security_headers: Type.Union([headersRecord, Type.Null()]),
    trust_proxy: Type.Union([Type.Boolean(), Type.Integer(), Type.Array(Type.String()), Type.Null()]),
    allowed_hosts: Type.Array(Type.String()),
    warnings: Type.Array(line, { description: 'Each unsafe choice, and how to settle it.' }),
    notes: Type.Array(line, { description: 'What is worth knowing and may well be meant.' }),
  },
  closed,
);
