import { type EngineRouteOptions, type Route, toRoute } from '@waymark/contract';
import type { EngineKind, Method } from '@waymark/contract/route';
import { type OpenApiDocument, type OpenApiInfo, type Operation, toOpenApi } from '../src/index.ts';

/** A route of any engine, for tables that are projected and never run. */
export function route(
  method: Method,
  path: string,
  options: EngineRouteOptions = {},
  kind: EngineKind = 'handler',
): Route {
  return toRoute(method, path, { kind }, { declaredAt: 'tables.ts:1', ...options });
}

/** The document of a few routes, without its examples: `examples.test.ts` looks at those. */
export function documentOf(routes: Iterable<Route>, info: Partial<OpenApiInfo> = {}): OpenApiDocument {
  const document = toOpenApi(routes, { title: 'Test', version: '1.0.0', ...info });
  return JSON.parse(JSON.stringify(document), withoutExample) as OpenApiDocument;
}

/** An example stands beside a schema; anything else of that name is not looked at here. */
function withoutExample(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('schema' in value) || !('example' in value))
    return value;
  const { example: __, ...rest } = value;
  return rest;
}

/** The only operation of a document of one route. */
export function operationOf(one: Route, info: Partial<OpenApiInfo> = {}): Operation {
  const operations = Object.values(documentOf([one], info).paths).flatMap((item) => Object.values(item));
  const [operation] = operations;
  if (!operation || operations.length > 1) throw new Error(`${operations.length} operations`);
  return operation;
}
