import { createRouteTable, type EngineRouteOptions, type Route, toRoute } from '@waymark/contract';
import type { EngineKind, Method } from '@waymark/contract/route';
import { type SecurityFacts, toSecurityReport } from '@waymark/control-plane';

/** A route of a given engine that answers nothing. */
export function served(
  method: Method,
  path: string,
  options: EngineRouteOptions = {},
  kind: EngineKind = 'handler',
): Route {
  const startsRun = (['agent', 'behaviour', 'flow'] as const).find((one) => one === kind);
  return toRoute(
    method,
    path,
    { kind, answer: () => null, accept: () => undefined },
    { ...(startsRun && { facts: { startsRun } }), ...options },
  );
}

/** The facts of an application with these routes and nothing else that is worth a warning. */
export function factsOf(routes: readonly Route[], more: Partial<SecurityFacts> = {}): SecurityFacts {
  return { table: createRouteTable(routes).freeze(), ...more };
}

/** The warnings of a report, as `text → fix`. */
export function warningsOf(routes: readonly Route[], more: Partial<SecurityFacts> = {}): readonly string[] {
  return toSecurityReport(factsOf(routes, more)).warnings.map(({ text, fix }) => `${text} → ${fix}`);
}
