import { STATUS_CODES } from 'node:http';
import { eventStreamType, mediaTypeOf, type Route } from '@waymark/contract';
import type { Components, Origin } from './components.ts';
import type { Content, Operation, Reference, Response } from './document.ts';
import { pathParameters } from './parameters.ts';
import { type ProblemStatus, problemContent, problems } from './problem.ts';
import { isHealth, neededScopes, type SecurityOptions } from './security.ts';

/** What a route that reports progress answers to whoever asks for events. OpenAPI 3.1 has no words for single events. */
const eventStream: Content = {
  [eventStreamType]: {
    schema: {
      type: 'string',
      description:
        'Server-sent events, for `Accept: text/event-stream`: what happens on the way (`progress`, say), then either ' +
        '`result`, whose data is `{"status", "body"}` with the answer as it is otherwise given, or `error`, whose ' +
        'data is a problem document. What fails before the first event is answered with its own status.',
    },
  },
};
const withoutContent = new Set(['204', '205', '304']);

/** Describes every answer of a route by status: the declared ones, then the errors that can happen. */
export function toResponses(
  route: Route,
  security: SecurityOptions,
  components: Components,
  origin: Origin,
): Operation['responses'] {
  const declared = declaredResponses(route, components, origin);
  const errors = possibleProblems(route, security).flatMap((status): readonly [string, Reference][] =>
    String(status) in declared
      ? []
      : [[String(status), { $ref: `#/components/responses/${problems[status].name}` }]],
  );
  return { ...declared, ...Object.fromEntries(errors) };
}

function declaredResponses(
  route: Route,
  components: Components,
  origin: Origin,
): Readonly<Record<string, Response>> {
  const responses = Object.entries(route.output).map(([status, schema]): [string, Response] => [
    status,
    toResponse(status, schema, components, { ...origin, name: `${origin.name}_output_${status}` }),
  ]);
  if (!responses.some(([status]) => Number(status) < 400)) responses.unshift(['200', undeclared(route)]);
  const byStatus = Object.fromEntries(responses);
  if (!route.progress) return byStatus;
  const ok = byStatus['200'] ?? { description: describe('200') };
  return { ...byStatus, 200: { ...ok, content: { ...ok.content, ...eventStream } } };
}

function toResponse(status: string, schema: object, components: Components, origin: Origin): Response {
  const description = describe(status);
  if (withoutContent.has(status)) return { description };
  const mediaType = mediaTypeOf(schema);
  const content: Content =
    mediaType === undefined
      ? { 'application/json': { schema: components.add(schema, origin) } }
      : { [mediaType]: mediaType.startsWith('text/') ? { schema: { type: 'string' } } : {} };
  // A handler may answer a declared error with `reply` or throw an HTTPError of the same status.
  return { description, content: Number(status) < 400 ? content : { ...content, ...problemContent } };
}

/** A success that no schema describes; what it looks like depends on the engine. */
function undeclared({ engine }: Route): Response {
  const description = describe('200');
  if (engine.kind === 'page')
    return { description, content: { 'text/html': { schema: { type: 'string' } } } };
  return engine.kind === 'files' || engine.kind === 'proxy'
    ? { description, content: { '*/*': {} } }
    : { description };
}

function describe(status: string): string {
  return STATUS_CODES[status] ?? `Status ${status}`;
}

function possibleProblems(route: Route, security: SecurityOptions): readonly ProblemStatus[] {
  const authentication = security.apiKey === true || security.bearer === true;
  const scoped = neededScopes(route, security).length > 0;
  const input = route.parameters.length > 0 || route.body === 'json';
  const body = route.body !== 'none';
  const { kind, durability } = route.engine;
  const changesRows = (kind === 'query' || kind === 'resource') && durability === 'transaction';
  const upstream = ['proxy', 'agent', 'behaviour', 'flow'].includes(kind);
  const possible: Readonly<Record<ProblemStatus, boolean>> = {
    400: input,
    // A wrong credential is refused on public routes too.
    401: (authentication || scoped || kind === 'memory') && !isHealth(route),
    403: scoped,
    404: pathParameters(route.path).length > 0 || kind === 'device' || givesOneRow(route),
    409: changesRows,
    412: changesRows && isConditional(route),
    413: body && Number.isFinite(route.maxBodyBytes),
    415: body && Number.isFinite(route.maxBodyBytes),
    422: input,
    429: true,
    500: true,
    502: upstream,
    503: true,
    504: route.engine.kind !== 'static',
  };
  return (Object.keys(problems).map(Number) as ProblemStatus[]).filter((status) => possible[status]);
}

/** A query that returns one row, or 404. */
function givesOneRow({ engine, output }: Route): boolean {
  const { type, properties = {} } = (output[200] ?? {}) as { type?: unknown; properties?: object };
  return engine.kind === 'query' && type === 'object' && !('last_insert_id' in properties);
}

/** Changes of single rows take `If-Match`. */
function isConditional({ engine, method }: Route): boolean {
  return engine.kind === 'resource' && (method === 'PATCH' || method === 'DELETE');
}
