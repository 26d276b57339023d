import type { Route, RouteTable } from '@waymark/contract';
import { NameSet } from './names.ts';
import { callName, toOperations } from './operations.ts';

/**
 * Gives the methods that the client of a table has, by their routes: `getTicketsById`, `control.approvals.decide`. For
 * whoever describes a client without writing it.
 */
export function toMethodNames(table: RouteTable): ReadonlyMap<Route, string> {
  const { data, control } = toOperations(table, new NameSet([]));
  return new Map([...data, ...control].map((operation) => [operation.route, callName(operation)]));
}
