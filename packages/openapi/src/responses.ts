import { STATUS_CODES } from 'node:http';
import type { Route } from '@waymark/contract';
import { eventStreamType } from '@waymark/contract/http';
import { answersOf, location, mediaTypeOf } from '@waymark/contract/route';
import type { Components, Origin } from './components.ts';
import type { Content, Operation, Reference, Response } from './document.ts';
import { toJsonContent } from './json-content.ts';
import { pathParameters } from './parameters.ts';
import { type ProblemStatus, problemContent, problems, toProblemResponse } from './problem.ts';
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
const redirects = new Set(['301', '302', '303', '307', '308']);

/** Describes every answer of a route by status: the declared ones, then the errors that can happen. */
export function toResponses(
  route: Route,
  security: SecurityOptions,
  components: Components,
  origin: Origin,
): Operation['responses'] {
  const declared = declaredResponses(route, components, origin);
  const errors = possibleProblems(route, security).flatMap(
    (status): readonly [string, Response | Reference][] =>
      String(status) in declared ? [] : [[String(status), toError(route, status, components, origin)]],
  );
  return { ...declared, ...Object.fromEntries(errors) };
}

/** The shared answer of a status, unless the route adds to it. */
function toError(
  { facts }: Route,
  status: ProblemStatus,
  components: Components,
  origin: Origin,
): Response | Reference {
  const { failsAs = [], startsRun, sends: { Location } = {} } = facts;
  // A run that is started may go on while its caller is sent away, and be asked for elsewhere.
  const goesOn = status === 503 && startsRun !== undefined && Location !== undefined;
  if (failsAs.length === 0 && !goesOn) return { $ref: `#/components/responses/${problems[status].name}` };
  const response = toProblemResponse(status);
  return {
    ...response,
    ...(goesOn && { headers: { ...response.headers, ...toHeaders({ Location }).headers } }),
    content: {
      ...response.content,
      ...toContents(failsAs, components, { ...origin, name: `${origin.name}_error` }),
    },
  };
}

function declaredResponses(
  route: Route,
  components: Components,
  origin: Origin,
): Readonly<Record<string, Response>> {
  const headers = toHeaders(route.facts.sends);
  const redirectHeaders = toHeaders(location);
  const responses = Object.entries(answersOf(route)).map(([status, schemas]): [string, Response] => {
    const response = toResponse(status, schemas, components, {
      ...origin,
      name: `${origin.name}_output_${status}`,
    });
    if (redirects.has(status)) return [status, { ...response, ...redirectHeaders }];
    return [status, /^2/.test(status) ? { ...response, ...headers } : response];
  });
  if (!responses.some(([status]) => Number(status) < 400))
    responses.unshift(
      ['200', { description: describe('200'), ...headers, content: undeclared }],
      // What a handler answers that returns nothing.
      ['204', { description: describe('204') }],
    );
  const byStatus = Object.fromEntries([...notModified(route), ...responses]);
  if (!route.progress) return byStatus;
  const ok = byStatus['200'] ?? { description: describe('200') };
  return { ...byStatus, 200: { ...ok, content: { ...ok.content, ...eventStream } } };
}

function toResponse(
  status: string,
  schemas: readonly object[],
  components: Components,
  origin: Origin,
): Response {
  const description = describe(status);
  if (withoutContent.has(status) || schemas.length === 0) return { description };
  const content = toContents(schemas, components, origin);
  // A handler may answer a declared error with `reply` or throw an HTTPError of the same status.
  return { description, content: Number(status) < 400 ? content : { ...content, ...problemContent } };
}

function toContents(schemas: readonly object[], components: Components, origin: Origin): Content {
  return Object.fromEntries(
    schemas.flatMap((schema) => Object.entries(toContent(schema, components, origin))),
  );
}

function toContent(schema: object, components: Components, origin: Origin): Content {
  const mediaType = mediaTypeOf(schema);
  if (mediaType === undefined) return toJsonContent(schema, components, origin);
  return { [mediaType]: mediaType.startsWith('text/') ? { schema: { type: 'string' } } : {} };
}

/** What a handler answers that declares no output. */
const undeclared: Content = {
  'application/json': { schema: { description: 'Any JSON: the route declares no output.' } },
};

function toHeaders(sends: Route['facts']['sends'] = {}): Pick<Response, 'headers'> {
  const entries = Object.entries(sends).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return entries.length === 0 ? {} : { headers: Object.fromEntries(entries) };
}

/** The door compares what is at hand with the `ETag` of the answer to a GET. */
function notModified({ method, facts: { reads = {} } }: Route): readonly [string, Response][] {
  return method === 'GET' && 'If-None-Match' in reads ? [['304', { description: describe('304') }]] : [];
}

function describe(status: string): string {
  return STATUS_CODES[status] ?? `Status ${status}`;
}

function possibleProblems(route: Route, security: SecurityOptions): readonly ProblemStatus[] {
  const scoped = neededScopes(route, security).length > 0;
  const input = route.parameters.length > 0 || route.body === 'json';
  const body = route.body !== 'none';
  const fails = new Set<number>(route.facts.fails);
  const possible: Readonly<Record<ProblemStatus, boolean>> = {
    400: input || fails.has(400),
    // A wrong credential is refused on public routes too, and where the application takes none at all.
    401: !isHealth(route),
    403: scoped || fails.has(403),
    404: pathParameters(route.path).length > 0 || fails.has(404),
    406: fails.has(406),
    409: fails.has(409),
    410: fails.has(410),
    412: fails.has(412),
    413: body && Number.isFinite(route.maxBodyBytes),
    415: body && Number.isFinite(route.maxBodyBytes),
    416: fails.has(416),
    422: input || fails.has(422),
    429: true,
    500: true,
    502: fails.has(502),
    503: true,
    504: route.facts.atOnce !== true,
  };
  return (Object.keys(problems).map(Number) as ProblemStatus[]).filter((status) => possible[status]);
}
