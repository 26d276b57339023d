import { mediaTypeOf, type Route, type RouteTable } from '@waymark/contract';
import { NameSet, toCamelCase, toPascalCase } from './names.ts';

/** One route as a method of the client. */
export interface Operation {
  readonly route: Route;
  /** The path with the control prefix. */
  readonly path: string;
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
    const methods = NameSet.forMethods();
    return [...table]
      .filter((route) => route.plane === plane && isCallable(route))
      .map((route): Operation => {
        const answer = toAnswer(route);
        const stem = typeStems.takeStable(toPascalCase(route.name), route.name);
        return {
          route,
          path: table.pathOf(route),
          method: methods.takeStable(toCamelCase(route.name), route.name),
          inputType: types.take(`${stem}Input`),
          outputType: types.take(`${stem}Output`),
          answer,
          raw: toRaw(route),
          progress: route.progress && (answer.kind !== 'declared' || answer.json),
        };
      });
  };
  return { data: named('data'), control: named('control') };
}

/** Pages, files and moving pictures are for browsers, MCP for MCP clients; sockets are no requests. */
function isCallable({ socket, engine, plane, path, output }: Route): boolean {
  if (socket || engine.kind === 'page' || engine.kind === 'files') return false;
  if (engine.kind === 'device' && Object.values(output).some(isForBrowsers)) return false;
  return plane === 'data' || (path !== '/mcp' && path !== '/openapi.json');
}

function isForBrowsers(answer: object): boolean {
  return /^(text\/html|multipart\/)/.test(mediaTypeOf(answer) ?? '');
}

function toAnswer({ output }: Route): Answer {
  const successes = Object.entries(output).filter(([status]) => /^2/.test(status));
  if (successes.length === 0) return { kind: 'unknown' };
  const withBody = successes.filter(([status]) => status !== '204' && status !== '205');
  if (withBody.length === 0) return { kind: 'nothing' };
  // Agents answer the same envelope with 200 and 202.
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
