import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createRouteTable,
  DeclarationError,
  type Problem,
  type Route,
  type RouteTable,
} from '@waymark/contract';
import { described, toProblem } from './check-open-api.ts';
import { Components } from './components.ts';
import type { HttpMethod, OpenApiDocument, Operation, RootExtension } from './document.ts';
import { toOperation } from './operation.ts';
import { pathKey, toPathTemplate } from './parameters.ts';
import { problemResponses, problemSchema } from './problem.ts';
import { type SecurityOptions, toSecuritySchemes } from './security.ts';
import { toTags } from './tags.ts';

/** Facts about the application for its document. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  /** URL of the service; default: no server is listed, which means the place where the document came from. */
  readonly serverUrl?: string;
  /** Credentials that the application takes; default: none. */
  readonly security?: SecurityOptions;
  /** Gives the method of the generated client for a route, where it has one; default: the document says nothing of it. */
  clientMethod?(route: Route): string | undefined;
}

/**
 * Describes a table as an OpenAPI 3.1 document: one operation for each route that answers plain requests, in the
 * table's order. The same table always gives the same document.
 *
 * @param table a route table, or routes, whose control plane then lies under `/_svc`
 * @throws {DeclarationError} when the table would not freeze, or a schema refers to something that it does not hold
 */
export function toOpenApi(table: RouteTable | Iterable<Route>, info: OpenApiInfo): OpenApiDocument {
  const making = makeDocument(table, info);
  for (;;) {
    const { done, value } = making.next();
    if (done) return value;
  }
}

/** Operations that are made in one turn of the event loop: some milliseconds. */
const operationsInTurn = 8;

/** As `toOpenApi`, a few operations at a time: a server that makes its document goes on answering others. */
export async function toOpenApiInTurns(
  table: RouteTable | Iterable<Route>,
  info: OpenApiInfo,
): Promise<OpenApiDocument> {
  const making = makeDocument(table, info);
  for (let made = 1; ; made++) {
    const { done, value } = making.next();
    if (done) return value;
    if (made % operationsInTurn === 0) await nextTurn();
  }
}

/** Stops after each operation. */
function* makeDocument(
  table: RouteTable | Iterable<Route>,
  info: OpenApiInfo,
): Generator<undefined, OpenApiDocument> {
  const routes = isTable(table) ? table : createRouteTable(table);
  if (routes.problems.length > 0) throw new DeclarationError(routes.problems);
  const problems: Problem[] = [];
  const components = new Components();
  components.set('Problem', problemSchema);
  const { paths, omitted } = yield* makePaths(routes, info, components, problems);
  if (problems.length > 0) throw new DeclarationError(problems);
  const securitySchemes = toSecuritySchemes(info.security ?? {});
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      ...(info.description && { description: info.description }),
    },
    ...(info.serverUrl !== undefined && { servers: [{ url: info.serverUrl }] }),
    tags: toTags(described(routes)),
    paths,
    components: {
      schemas: components.toSchemas(),
      responses: problemResponses(),
      ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
    },
    'x-waymark': toRootExtension(routes, omitted),
  };
}

function isTable(table: RouteTable | Iterable<Route>): table is RouteTable {
  return 'pathOf' in table;
}

interface Paths {
  readonly paths: Record<string, Partial<Record<HttpMethod, Operation>>>;
  /** Routes that have no path of their own. */
  readonly omitted: readonly string[];
}

function* makePaths(
  table: RouteTable,
  { security = {}, clientMethod }: OpenApiInfo,
  components: Components,
  problems: Problem[],
): Generator<undefined, Paths> {
  const templates = new Map<string, string>();
  const paths: Paths['paths'] = {};
  const omitted = overshadowed(table);
  for (const route of described(table)) {
    if (omitted.includes(route)) continue;
    const path = toPathTemplate(table.pathOf(route));
    // Paths that differ in names only are one path of the document, under the names that came first.
    const template = templates.get(pathKey(path)) ?? path;
    templates.set(pathKey(path), template);
    const served = { template, timeoutMs: table.timeoutOf(route), client: clientMethod?.(route) };
    const operation = toOperation(route, served, security, components, (rule) =>
      problems.push(toProblem(route, rule)),
    );
    paths[template] = { ...paths[template], [route.method.toLowerCase()]: operation };
    yield;
  }
  return { paths, omitted: omitted.map(({ name }) => name) };
}

/** `/files/{path*}` beside `/files/{id}`: OpenAPI has one path for both, which then is the plainer one's. */
function overshadowed(table: RouteTable): readonly Route[] {
  const keyOf = (route: Route): string => `${route.method} ${pathKey(table.pathOf(route))}`;
  const endsInRest = ({ path }: Route): boolean => path.endsWith('*}');
  const plain = new Set(
    described(table)
      .filter((route) => !endsInRest(route))
      .map(keyOf),
  );
  return described(table).filter((route) => endsInRest(route) && plain.has(keyOf(route)));
}

function toRootExtension(table: RouteTable, omitted: readonly string[]): RootExtension {
  const find = (wanted: string): Route | undefined =>
    [...table].find(({ plane, path }) => plane === 'control' && path === wanted);
  const [mcp, docs] = [find('/mcp'), find('/docs')];
  return {
    specification: '2.3',
    ...(mcp && { mcp: table.pathOf(mcp) }),
    ...(docs && { docs: table.pathOf(docs) }),
    ...(omitted.length > 0 && { omitted }),
  };
}
