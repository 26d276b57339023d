import { DeclarationError, type Problem, type Route, type RouteTable } from '@waymark/contract';
import { createInputBinder, type InputBinder } from './bind-input.ts';

/**
 * Compiles the binding of every route, once, at boot.
 *
 * @throws {DeclarationError} with every schema that does not compile
 */
export function compileBinders(table: RouteTable, strictQuery: boolean): ReadonlyMap<Route, InputBinder> {
  const problems: Problem[] = [];
  const binders = new Map<Route, InputBinder>();
  for (const route of table) {
    try {
      binders.set(route, createInputBinder(route, strictQuery));
    } catch (error) {
      const rule = `the input schema does not compile: ${error instanceof Error ? error.message : String(error)}`;
      problems.push({ declaration: `route ${route.method} ${route.path}`, rule, at: route.declaredAt });
    }
  }
  if (problems.length > 0) throw new DeclarationError(problems);
  return binders;
}
