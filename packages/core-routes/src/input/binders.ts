import type { Route, RouteTable } from '@waymark/contract';
import { createInputBinder, type InputBinder } from './bind-input.ts';

/**
 * The binders of a table's routes, each made when its route is first called: to make them all would take much of the start of
 * a large application (10 µs a route, measured), and many routes are never called. A schema that does not compile has kept
 * its table from freezing, so nobody finds out about one this late.
 */
export class Binders {
  readonly #table: RouteTable;
  readonly #strictQuery: boolean;
  readonly #compiled = new Map<Route, InputBinder>();

  /** @param strictQuery refuse query names that are not declared, where the route does not say */
  constructor(table: RouteTable, strictQuery: boolean) {
    this.#table = table;
    this.#strictQuery = strictQuery;
  }

  /** @throws {Error} for a route that is not in the table */
  of(route: Route): InputBinder {
    return this.#compiled.get(route) ?? this.#compile(route);
  }

  #compile(route: Route): InputBinder {
    if (this.#table.get(route.name) !== route)
      throw new Error(`route ${route.name} is not in this dispatcher's table`);
    const binder = createInputBinder(route, this.#strictQuery);
    this.#compiled.set(route, binder);
    return binder;
  }
}
