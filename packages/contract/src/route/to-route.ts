import { asText } from '../declaring/as-text.ts';
import { laterCallSite } from '../declaring/call-site.ts';
import { wellShaped } from '../declaring/check-options.ts';
import {
  checkDescription,
  checkSchema,
  inputTitleOf,
  isCircular,
  titleOf,
} from '../declaring/check-schema.ts';
import { areScopes } from '../declaring/check-scopes.ts';
import { readWholeSchema } from '../declaring/read-schema.ts';
import { type Fault, toProblems } from '../declaring/rule-book.ts';
import type { Engine } from '../engine/engine.ts';
import { holdsItself } from '../schema/each-schema.ts';
import { isLibrarySchema } from '../schema/library-schema.ts';
import { isStandardSchema } from '../schema/standard-schema.ts';
import { checkInputForm, checkParameters } from './check-input.ts';
import { readOutput } from './check-output.ts';
import { checkPath } from './check-path.ts';
import { checkRetry, toRetry } from './check-retry.ts';
import { checkMethod, checkRouteOptions, routeShapes } from './check-route-options.ts';
import type { InputShape, OutputShape } from './handler.ts';
import { hasBody, isRawSchema, type RouteInput, toEnforcedSchema, toRouteInput } from './parameters.ts';
import { pathNames } from './path-template.ts';
import type { BodyForm, Method, Parameter, Route, RouteCors, RouteOptions } from './route.ts';
import { routeName } from './route-name.ts';

/** The options of a route whose engine is not a plain handler. */
export type EngineRouteOptions = RouteOptions &
  Partial<Pick<Route, 'plane' | 'socket' | 'strict' | 'progress' | 'facts'>> & {
    readonly input?: InputShape;
    readonly output?: OutputShape;
    /** Headers of its own that pages of other origins need; none. */
    readonly cors?: RouteCors;
  };

/** Body limit of a route that does not set `maxBodyBytes` (decision 2.6). */
export const defaultMaxBodyBytes = 1_048_576;

/**
 * Makes one row of a table and fills every default. Packages build all their routes with it. Never throws: what is
 * wrong with the declaration is in `problems`, and the table that holds the route does not freeze.
 *
 * @param declaredBy the function whose caller declares it, where none is named in the options
 */
export function toRoute(
  givenMethod: Method,
  givenPath: string,
  engine: Engine,
  given: EngineRouteOptions = {},
  declaredBy: (...args: never[]) => unknown = toRoute,
): Route {
  const options: EngineRouteOptions = wellShaped(given, routeShapes);
  const { plane = 'data', socket = false, strict = true, scopes = [] } = options;
  const { declaredAt: givenAt } = options;
  const place = givenAt === undefined ? laterCallSite(declaredBy) : () => givenAt;
  // A program without types may pass anything. A method that is none is served by nobody: such a table does not freeze.
  const method = asText(givenMethod) as Method;
  const path = asText(givenPath);
  const input = readInput(method, path, options, strict);
  const output = readAnswers(options.output);
  // Control routes are named under `svc`, whatever the prefix is: names must not change with the deployment.
  const derived = routeName(method, plane === 'control' ? `/svc${path}` : path);
  const readOnly = options.readOnly ?? method === 'GET';
  const idempotent = options.idempotent ?? (method === 'GET' || method === 'PUT' || method === 'DELETE');
  const faults: readonly Fault[] = [
    ...checkMethod(method),
    ...checkPath(givenPath),
    ...checkRouteOptions(given),
    ...checkRetry(options.retry, { readOnly, idempotent, engine }),
    ...input.faults,
    ...output.faults,
  ];
  return {
    name: options.toolName ?? derived,
    method,
    path,
    plane,
    placement: options.placement ?? 'any',
    socket,
    parameters: input.parameters,
    inputSchema: input.inputSchema,
    ...(input.standard && { standard: input.standard }),
    strict,
    strictQuery: options.strictQuery,
    body: options.body ?? bodyForm(method, input.parameters, options.input),
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
    maxBodyValues: options.maxBodyValues,
    output: output.byStatus,
    progress: options.progress ?? false,
    timeoutMs: options.timeoutMs,
    retry: toRetry(options.retry),
    cors: options.cors,
    tool: options.tool ?? false,
    scopes: areScopes(scopes) ? scopes : [],
    approval: options.approval ?? 'never',
    approver: options.approver ?? {},
    readOnly,
    idempotent,
    destructive: options.destructive ?? method === 'DELETE',
    summary: options.summary || `${method} ${path}`,
    description: options.description ?? '',
    deprecated: options.deprecated,
    get declaredAt() {
      return place();
    },
    engine,
    facts: options.facts ?? {},
    problems: faults.length === 0 ? [] : toProblems(`route ${method} ${path}`, place(), faults),
  };
}

interface InputReading extends RouteInput {
  readonly faults: readonly Fault[];
}

function readInput(
  method: Method,
  path: string,
  { input = {}, body }: EngineRouteOptions,
  strict: boolean,
): InputReading {
  if (isCircularInput(input))
    return { ...readInput(method, path, {}, strict), faults: [isCircular('input')] };
  const read = toRouteInput(method, path, input, strict);
  const { parameters, inputSchema, standard, faults } = read;
  const names = pathNames(path);
  if (faults.length > 0) return { ...read, faults };
  return {
    ...read,
    faults: [
      ...(standard ? checkInputForm(names, inputSchema, true) : checkInputForm(names, input)),
      ...checkParameters(names, read, body),
      ...checkSchema(toEnforcedSchema(read), inputTitleOf),
      ...(standard ? checkDescription(inputSchema, inputTitleOf) : []),
      ...parameters.flatMap((one) =>
        one.standard ? checkDescription(one.schema, titleOf(`input "${one.name}"`)) : [],
      ),
    ],
  };
}

/** Schemas of libraries are no data to walk through. */
function isCircularInput(input: InputShape): boolean {
  if (isLibrarySchema(input)) return false;
  if (isRawSchema(input)) return holdsItself(input);
  return holdsItself(
    Object.fromEntries(Object.entries(Object(input)).filter(([, one]) => !isLibrarySchema(one))),
  );
}

/** A route without JSON parameters takes its body as bytes, of any content type (decision 2.6). */
function bodyForm(method: Method, parameters: readonly Parameter[], input: InputShape | undefined): BodyForm {
  if (parameters.some(({ place }) => place === 'body' || place === 'content')) return 'json';
  if (input !== undefined && (isRawSchema(input) || isStandardSchema(input)) && hasBody(method))
    return 'json';
  return hasBody(method) ? 'any' : 'none';
}

interface AnswerReading {
  readonly byStatus: Readonly<Record<number, object>>;
  readonly faults: readonly Fault[];
}

function readAnswers(output: OutputShape | undefined): AnswerReading {
  const { byStatus, faults } = readOutput(output);
  const answers = Object.entries(byStatus).map(([status, given]) => {
    const title = `output ${status}`;
    const { schema, faults } = readWholeSchema(given, 'output', title);
    return { status, schema, faults };
  });
  return {
    byStatus: Object.fromEntries(answers.map(({ status, schema }) => [status, schema])),
    faults: [...faults, ...answers.flatMap((answer) => answer.faults)],
  };
}
