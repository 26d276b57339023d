import { parseCallSite } from '../declaring/call-site.ts';
import { DeclarationError, isError, type Problem } from '../declaring/declaration-error.ts';
import { type Fault, type RuleBook, toProblems } from '../declaring/rule-book.ts';
import { holds, type Principal } from '../principal/principal.ts';
import { pathShape } from './path-template.ts';
import type { Route } from './route.ts';
import { suffixedName } from './route-name.ts';

/** All routes of one application, in declaration order. Everything that is served is a projection of it. */
export interface RouteTable extends Iterable<Route> {
  /** Where the control plane lives: `/_svc`. */
  readonly controlPrefix: string;
  readonly size: number;
  /** Everything wrong with the routes so far. `freeze` throws them; a composer that has more to check asks first. */
  readonly problems: readonly Problem[];
  /** Takes routes in. @throws {Error} after `freeze` */
  add(...routes: readonly Route[]): this;
  /** Ends declaring. @throws {DeclarationError} with every problem at once */
  freeze(): this;
  get(name: string): Route | undefined;
  tool(name: string): Route | undefined;
  /** In declaration order; with a principal, only those whose scopes it holds. */
  tools(principal?: Principal): readonly Route[];
  /** The path a route is reached at, the control prefix included. */
  pathOf(route: Route): string;
  /** Milliseconds that a route has to answer: its own, else the application's. */
  timeoutOf(route: Route): number;
  /** Values that a JSON body of a route may hold: its own, else the application's. */
  maxBodyValuesOf(route: Route): number;
}

/** Milliseconds of a request where neither route nor application says (decision 2.11). */
export const defaultRequestTimeoutMs = 30_000;
/** The same of what starts a run, or waits for one. */
export const defaultAgentTimeoutMs = 600_000;
/** Values of a JSON body where neither route nor application says. */
export const defaultMaxBodyValues = 100_000;

/** What holds for routes that are served together. */
export const tableRules = {
  'control-prefix-form': 'The control prefix is a path of one or more plain segments.',
  'path-reserved': 'Paths under the control prefix belong to the service itself.',
  'route-twice': 'Two routes never answer the same requests.',
  'tool-name-taken': 'Two tools never have the same name.',
  'name-taken': 'No route has the second name of another.',
} as const satisfies RuleBook;

type TableFault = Fault<keyof typeof tableRules>;

/** How a table is made. */
export interface RouteTableOptions {
  /** `/_svc`. */
  readonly controlPrefix?: string;
  /** Of routes without `timeoutMs`; 30 seconds. */
  readonly requestTimeoutMs?: number;
  /** The same of agents, behaviours and flows, whose runs are told it and end themselves; 600 seconds. */
  readonly agentTimeoutMs?: number;
  /** Of routes without `maxBodyValues`; 100,000. */
  readonly maxBodyValues?: number;
}

/**
 * Makes a table. Two routes that answer the same requests, and two tools of one name, are problems; other routes whose
 * name is taken get a stable second name, whatever the order they come in (decision 4.1).
 */
export function createRouteTable(routes: Iterable<Route> = [], options: RouteTableOptions = {}): RouteTable {
  return new Table(options).add(...routes);
}

class Table implements RouteTable {
  readonly controlPrefix: string;
  readonly #requestTimeoutMs: number;
  readonly #agentTimeoutMs: number;
  readonly #maxBodyValues: number;
  readonly #routes: Route[] = [];
  /** Where in `#routes` the route of a name stands. */
  readonly #names = new Map<string, number>();
  readonly #keys = new Map<string, Route>();
  readonly #problems: Problem[] = [];
  #tools: readonly Route[] | undefined;
  #frozen = false;

  constructor({
    controlPrefix = '/_svc',
    requestTimeoutMs = defaultRequestTimeoutMs,
    agentTimeoutMs = defaultAgentTimeoutMs,
    maxBodyValues = defaultMaxBodyValues,
  }: RouteTableOptions) {
    this.controlPrefix = controlPrefix;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#agentTimeoutMs = agentTimeoutMs;
    this.#maxBodyValues = maxBodyValues;
    if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(controlPrefix) || /\/\.\.?(\/|$)/.test(controlPrefix))
      this.#problems.push(
        ...toProblems('application', undefined, [
          fault(
            'control-prefix-form',
            `control prefix "${controlPrefix}" is not a path of one or more plain segments`,
            'write "/_svc", or another path',
          ),
        ]),
      );
  }

  get size(): number {
    return this.#routes.length;
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  add(...routes: readonly Route[]): this {
    if (this.#frozen)
      throw new Error('the route table is frozen: declare routes before the application listens');
    for (const route of routes) this.#take(route);
    this.#tools = undefined;
    return this;
  }

  freeze(): this {
    const wrong = this.#problems.filter(isError);
    if (wrong.length > 0) throw new DeclarationError(wrong);
    this.#frozen = true;
    return this;
  }

  get(name: string): Route | undefined {
    return this.#routes[this.#names.get(name) ?? -1];
  }

  tool(name: string): Route | undefined {
    const route = this.get(name);
    return route?.tool ? route : undefined;
  }

  tools(principal?: Principal): readonly Route[] {
    this.#tools ??= this.#routes.filter(({ tool }) => tool);
    return principal ? this.#tools.filter(({ scopes }) => holds(principal, scopes)) : this.#tools;
  }

  pathOf({ plane, path }: Route): string {
    return plane === 'control' ? this.controlPrefix + path : path;
  }

  timeoutOf({ timeoutMs, engine }: Route): number {
    return timeoutMs ?? (engine.durability === 'run' ? this.#agentTimeoutMs : this.#requestTimeoutMs);
  }

  maxBodyValuesOf({ maxBodyValues }: Route): number {
    return maxBodyValues ?? this.#maxBodyValues;
  }

  [Symbol.iterator](): Iterator<Route> {
    return this.#routes.values();
  }

  #take(route: Route): void {
    this.#problems.push(...route.problems);
    const path = this.pathOf(route);
    if (route.plane === 'data' && (path === this.controlPrefix || path.startsWith(`${this.controlPrefix}/`)))
      this.#found(
        route,
        'path-reserved',
        `the path lies under the control prefix ${this.controlPrefix}`,
        'choose another path, or another controlPrefix',
      );
    const key = keyOf(route);
    const twin = this.#keys.get(key);
    if (twin) {
      const [first, second] = inOrder(twin, route);
      const shown = `${second.method} ${this.pathOf(second)}`;
      const rule =
        first.path === second.path
          ? `${shown} is declared twice, first at ${first.declaredAt}`
          : `${shown} answers the same requests as ${first.method} ${this.pathOf(first)}, declared at ${first.declaredAt}`;
      this.#found(second, 'route-twice', rule, 'take one of the two out, or give it another path');
      return;
    }
    this.#keys.set(key, route);
    this.#routes.push(route);
    this.#name(route, this.#routes.length - 1);
  }

  /**
   * Of several routes with one name a tool keeps it, else the one whose key sorts
   * first: names must not depend on the order of declarations, clients and stored calls rely on them.
   */
  #name(route: Route, index: number): void {
    const holderIndex = this.#names.get(route.name);
    const holder = this.get(route.name);
    if (holderIndex === undefined || !holder) this.#names.set(route.name, index);
    else if (route.tool && holder.tool)
      this.#found(
        route,
        'tool-name-taken',
        `tool name "${route.name}" is taken by the route at ${holder.declaredAt}`,
        'give one of the two another toolName',
      );
    else if (holder.tool || (!route.tool && keyOf(holder) < keyOf(route))) this.#rename(route, index);
    else {
      this.#names.set(route.name, index);
      this.#rename(holder, holderIndex);
    }
  }

  #rename(route: Route, index: number): void {
    const name = suffixedName(route.name, keyOf(route));
    const holder = this.get(name);
    if (holder)
      this.#found(
        route,
        'name-taken',
        `name "${name}" is taken by the route at ${holder.declaredAt}`,
        'give one of the two another toolName',
      );
    this.#names.set(name, index);
    this.#routes[index] = { ...route, name };
  }

  #found(route: Route, code: TableFault['code'], rule: string, fix: string): void {
    const declaration = `route ${route.method} ${route.path}`;
    this.#problems.push(...toProblems(declaration, route.declaredAt, [fault(code, rule, fix)]));
  }
}

function fault(code: TableFault['code'], rule: string, fix: string): TableFault {
  return { code, rule, fix };
}

/** As they stand in the source, where that is one file: pages come in after all handlers. */
function inOrder(taken: Route, next: Route): readonly [Route, Route] {
  const [one, other] = [parseCallSite(taken.declaredAt), parseCallSite(next.declaredAt)];
  return one && other && one.file === other.file && other.line < one.line ? [next, taken] : [taken, next];
}

/** What two routes cannot share. Without the prefix: names must not change with the deployment. */
function keyOf({ socket, method, plane, path }: Route): string {
  return `${socket ? 'SOCKET' : method} ${plane === 'control' ? 'control' : ''}${pathShape(path)}`;
}
