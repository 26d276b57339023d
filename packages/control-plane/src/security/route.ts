import { type Route, type RouteTable, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { SecurityFacts } from './facts.ts';
import { type SecurityReport, securityReport, toSecurityReport } from './report.ts';

/** Reports what is public, what is gated, which limits hold, and each unsafe choice with its fix. */
export function securityRoute(factsOf: (table: RouteTable) => SecurityFacts): Route {
  const answer = ({ table }: EngineContext): SecurityReport => toSecurityReport(factsOf(table));
  return toRoute(
    'GET',
    '/security',
    { kind: 'control', answer },
    {
      plane: 'control',
      summary: 'Reports what is public and what is gated, the limits in force, and unsafe choices.',
      output: securityReport,
      facts: { client: 'security' },
    },
  );
}
