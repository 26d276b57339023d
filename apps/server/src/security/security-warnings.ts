import type { Problem } from '@waymark/contract';
import type { Finding } from '@waymark/contract/declaring';
import { toSecurityReport } from '@waymark/control-plane';
import type { Declarations } from '../declaring/declarations.ts';
import { type Composed, securityFacts } from './security-facts.ts';

type Facts = Parameters<typeof toSecurityReport>[0];

/** What the security report warns about, but what the check of the declarations says at its place in the source. */
export function securityWarnings(
  declarations: Declarations,
  composed: Composed,
  problems: readonly Problem[],
): readonly Finding[] {
  return warningsOf(withoutSaid(securityFacts(declarations, composed), problems)).filter(
    ({ text }) => !ofScopes.test(text),
  );
}

/**
 * Those that are open to others than they should be. Scopes that fit nobody and limits that are not there can wait
 * until somebody asks for the whole report.
 */
export function openDoors(
  declarations: Declarations,
  composed: Composed,
  problems: readonly Problem[],
): readonly Finding[] {
  const facts = withoutSaid(securityFacts(declarations, composed), problems);
  const { authentication } = facts;
  // Tokens may carry any scope: nothing is said of scopes that no key holds.
  const found = warningsOf({
    ...facts,
    limits: [],
    authentication: { ...authentication, keys: [], jwt: true },
  });
  return found.filter(({ text }) => authentication.configured || !ofPublicRoutes.test(text));
}

/** Said by `checkReach`, too. */
const ofScopes = /^nobody reaches .*: scope ".*" is granted to nobody/;

/** Without authentication one line says it of all routes. */
const ofPublicRoutes = /changes state and answers anybody$/;

function withoutSaid(
  facts: ReturnType<typeof securityFacts>,
  problems: readonly Problem[],
): ReturnType<typeof securityFacts> {
  const { authentication } = facts;
  const said = problems.some(({ code }) => code === 'open-in-production');
  const allowUnauthenticated = authentication.allowUnauthenticated && !said;
  return { ...facts, authentication: { ...authentication, allowUnauthenticated } };
}

function warningsOf(facts: Facts): readonly Finding[] {
  return toSecurityReport(facts).warnings.map(({ text, fix }) => ({
    ...{ severity: 'warning', text },
    ...(fix !== null && { fix }),
  }));
}
