import type { Route, RouteTable } from '@waymark/contract';
import { answersOf, mediaTypeOf } from '@waymark/contract/route';
import { NameSet, toCamelCase, toPascalCase } from './names.ts';

/** One route as a method of the client. */
export interface Operation {
  readonly route: Route;
  /** The path with the control prefix. */
  readonly path: string;
  /** The member of the client that holds its method: `approvals` of the control plane. */
  readonly group: string | undefined;
  readonly method: string;
  /** The names of its types. */
  readonly inputType: string;
  readonly outputType: string;
  /** What a success answers. */
  readonly answer: Answer;
  /** The inputs that are the raw body and its content type, where the route reads one. */
  readonly raw: { readonly bytes: string; readonly contentType: string } | undefined;
  /** Tells its progress to whoever listens. An answer of bytes is no event, so it has no such method. */
  readonly progress: boolean;
  /** Tells events without an end: beside its method there is `stream`. */
  readonly feed: boolean;
  /** Milliseconds after which the client gives up. */
  readonly timeoutMs: number;
}

/** What a success answers: nobody said, nothing, or one of several schemas, some of them marked as media. */
export type Answer =
  | { readonly kind: 'unknown' | 'nothing' }
  | {
      readonly kind: 'declared';
      readonly schemas: readonly { readonly status: string; readonly schema: object }[];
      readonly json: boolean;
      readonly mayBeEmpty: boolean;
    };

/** The methods of a client: those of the application, and those of its control plane. */
export interface Operations {
  readonly data: readonly Operation[];
  readonly control: readonly Operation[];
}

/** Chooses the routes that a client calls, and names their methods and types. */
export function toOperations(table: RouteTable, types: NameSet): Operations {
  const typeStems = new NameSet([]);
  const named = (plane: Route['plane']): readonly Operation[] => {
    const routes = [...table].filter((route) => route.plane === plane && isCallable(route));
    const takeMember = memberNames(plane, routes);
    return routes.map((route): Operation => {
      const answer = toAnswer(route);
      const { group, method } = takeMember(route);
      const wanted =
        plane === 'control' && typeof route.facts.client === 'string'
          ? `control_${route.facts.client}`
          : route.name;
      const stem = typeStems.takeStable(toPascalCase(wanted), route.name);
      return {
        route,
        path: table.pathOf(route),
        group,
        method,
        inputType: types.take(`${stem}Input`),
        outputType: types.take(`${stem}Output`),
        answer,
        raw: toRaw(route),
        feed: route.facts.feed === true,
        progress: route.progress && route.facts.feed !== true && (answer.kind !== 'declared' || answer.json),
        timeoutMs: toPatience(table.timeoutOf(route)),
      };
    });
  };
  return { data: named('data'), control: named('control') };
}

/** What is for browsers or for clients of another protocol says so; sockets are no requests. */
function isCallable({ socket, facts }: Route): boolean {
  return !socket && facts.client !== false;
}

/** What a client waits longer than the service works, so that the service's 504 comes first. */
const marginMs = 5_000;
/** How long a timer can wait at all. */
const longestTimeoutMs = 2_147_483_647;

function toPatience(timeoutMs: number): number {
  return Math.min(longestTimeoutMs, Math.ceil(timeoutMs + marginMs));
}

type Member = Pick<Operation, 'group' | 'method'>;

/**
 * Gives each route its place: where its facts say, in the control plane, else under its name. A group keeps its name
 * where a method wants the same.
 */
function memberNames(plane: Route['plane'], routes: readonly Route[]): (route: Route) => Member {
  const placed = new Map(routes.flatMap((route) => placeOf(plane, route)));
  const methods = plane === 'control' ? NameSet.forMembers() : NameSet.forMethods();
  const groups = new Map<string, { readonly name: string; readonly members: NameSet }>();
  for (const { group } of placed.values())
    if (group !== undefined && !groups.has(group))
      groups.set(group, { name: methods.take(group), members: NameSet.forMembers() });
  return (route) => {
    const { group: wanted, method = toCamelCase(route.name) } = placed.get(route) ?? {};
    const group = wanted === undefined ? undefined : groups.get(wanted);
    return { group: group?.name, method: (group?.members ?? methods).takeStable(method, route.name) };
  };
}

function placeOf(plane: Route['plane'], route: Route): readonly (readonly [Route, Member])[] {
  const { client } = route.facts;
  if (plane === 'data' || typeof client !== 'string') return [];
  const [first = '', second] = client.split('.').map(toCamelCase);
  const member =
    second === undefined ? { group: undefined, method: first } : { group: first, method: second };
  return [[route, member]];
}

function toAnswer(route: Route): Answer {
  const successes = Object.entries(answersOf(route)).flatMap(([status, [schema]]) =>
    /^2/.test(status) ? [[status, schema ?? {}] as const] : [],
  );
  if (successes.length === 0) return { kind: 'unknown' };
  const withBody = successes.filter(([status]) => status !== '204' && status !== '205');
  if (withBody.length === 0) return { kind: 'nothing' };
  // Agents answer the same envelope with 200 and 202.
  // Whatever an upstream sends.
  if (withBody.every(([, schema]) => mediaTypeOf(schema) === '*/*')) return { kind: 'unknown' };
  const distinct = new Map(
    withBody.toReversed().map(([status, schema]) => [JSON.stringify(schema), { status, schema }]),
  );
  return {
    kind: 'declared',
    schemas: [...distinct.values()].reverse(),
    json: withBody.every(([, schema]) => mediaTypeOf(schema) === undefined),
    mayBeEmpty: withBody.length < successes.length,
  };
}

/** A route that reads raw bytes takes them beside its parameters, which have their names first. */
function toRaw({ body, parameters }: Route): Operation['raw'] {
  if (body !== 'bytes' && body !== 'source') return undefined;
  const free = (name: string): string =>
    parameters.some((one) => one.name === name) ? free(`${name}_`) : name;
  return { bytes: free('body'), contentType: free('contentType') };
}
