import { createRouteTable, HTTPError, type RouteTable, type Values } from '@waymark/contract';
import { type EngineContext, type RouteResponse, toDetail, toErrorResponse } from '@waymark/contract/engine';
import { anonymous, type Principal } from '@waymark/contract/principal';
import type { Step } from '@waymark/contract/runs';
import { validateValue } from '@waymark/contract/schema';
import { testHost } from '@waymark/contract/testing';
import { createSqlRoutes, type SqlDatabase, type SqlDeclaration } from '../src/index.ts';

/** Somebody who signed in. */
export const ada: Principal = { id: 'ada', rootId: 'ada', authenticated: true, scopes: [] };

/** How a route is asked. */
export interface AskOptions {
  readonly principal?: Principal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly step?: Step;
}

/** What came back, its JSON read. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: unknown;
  readonly detail: string | undefined;
}

/** Declarations at work, asked by the names of their routes. */
export interface Served {
  readonly table: RouteTable;
  ask(name: string, values?: Values, options?: AskOptions): Promise<Answer>;
}

/** Puts declarations to work the way an application does: checked, in a frozen table, started. */
export async function serve(declarations: readonly SqlDeclaration[], database: SqlDatabase): Promise<Served> {
  const plugin = createSqlRoutes(declarations, database);
  const table = createRouteTable(plugin.routes).freeze();
  const host = testHost({ table, database });
  await plugin.start?.(host);
  return {
    table,
    async ask(name, values = {}, options = {}) {
      return read(await answerTo(table, name, values, options));
    },
  };
}

/** What a dispatcher does for a caller by name: defaults, validation, the engine. */
async function answerTo(
  table: RouteTable,
  name: string,
  values: Values,
  { principal = anonymous(), headers = {}, query = {}, step }: AskOptions,
): Promise<RouteResponse> {
  const route = table.get(name);
  if (!route) throw new Error(`no route ${name}`);
  const defaults = route.parameters.flatMap(({ name: parameter, schema }) =>
    'default' in schema ? [[parameter, schema.default] as const] : [],
  );
  const input = { ...Object.fromEntries(defaults), ...values };
  const request = { path: route.path, query, headers };
  // The engines of this package read these members of their context and no other.
  const context = { route, principal, input, request, step } as unknown as EngineContext;
  try {
    const errors = validateValue(route.inputSchema, input);
    if (errors.length > 0) throw new HTTPError(422, toDetail(errors), { errors });
    return (await route.engine.answer?.(context)) as RouteResponse;
  } catch (error) {
    if (!(error instanceof HTTPError)) throw error;
    return toErrorResponse(error);
  }
}

function read({ status, headers, body }: RouteResponse): Answer {
  return {
    status,
    // Nothing here sets cookies, of which alone there may be several.
    headers: headers as Answer['headers'],
    value: body.kind === 'json' ? JSON.parse(body.text) : undefined,
    detail: body.kind === 'problem' ? body.detail : undefined,
  };
}
