import { callSite } from './call-site.ts';
import type { Engine } from './engine.ts';
import type { Problem } from './errors.ts';
import type { InputShape, OutputShape } from './handler.ts';
import { toPlainSchema } from './json-schema.ts';
import { nearest } from './nearest.ts';
import { hasBody, isRawSchema, toRouteInput } from './parameters.ts';
import { parsePath } from './path-template.ts';
import type { BodyForm, Method, Parameter, Route, RouteOptions } from './route.ts';
import { namePattern, routeName } from './route-name.ts';

/** The options of a route whose engine is not a plain handler. */
export type EngineRouteOptions = RouteOptions &
  Partial<Pick<Route, 'plane' | 'socket' | 'strict' | 'progress'>> & {
    readonly input?: InputShape;
    readonly output?: OutputShape;
  };

/** Body limit of a route that does not set `maxBodyBytes` (decision 2.6). */
export const defaultMaxBodyBytes = 1_048_576;

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Every option a route can be declared with; the record makes the compiler check that none is missing. */
const knownOptions: Readonly<Record<keyof EngineRouteOptions, true>> = {
  tool: true,
  toolName: true,
  scopes: true,
  approval: true,
  approver: true,
  readOnly: true,
  idempotent: true,
  destructive: true,
  summary: true,
  description: true,
  maxBodyBytes: true,
  timeoutMs: true,
  strictQuery: true,
  placement: true,
  declaredAt: true,
  body: true,
  plane: true,
  socket: true,
  strict: true,
  progress: true,
  input: true,
  output: true,
};

/**
 * Makes one row of a table and fills every default. Packages build all their routes with it. Never throws: what is
 * wrong with the declaration is in `problems`, and the table that holds the route does not freeze.
 */
export function toRoute(
  method: Method,
  path: string,
  engine: Engine,
  options: EngineRouteOptions = {},
): Route {
  const { plane = 'data', socket = false, strict = true, scopes = [] } = options;
  const { parameters, inputSchema, faults } = toRouteInput(method, path, options.input ?? {}, strict);
  const output = toOutput(options.output);
  // Control routes are named under `svc`, whatever the prefix is: names must not change with the deployment.
  const derived = routeName(method, plane === 'control' ? `/svc${path}` : path);
  const declaredAt = options.declaredAt ?? callSite(toRoute);
  const problem = (rule: string, more: Partial<Problem> = {}): Problem => ({
    declaration: `route ${method} ${path}`,
    rule,
    at: declaredAt,
    ...more,
  });
  return {
    name: options.toolName ?? derived,
    method,
    path,
    plane,
    placement: options.placement ?? 'any',
    socket,
    parameters,
    inputSchema,
    strict,
    strictQuery: options.strictQuery,
    body: options.body ?? bodyForm(method, parameters, options.input),
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
    output: output.byStatus,
    progress: options.progress ?? false,
    timeoutMs: options.timeoutMs,
    tool: options.tool ?? false,
    scopes,
    approval: options.approval ?? 'never',
    approver: options.approver ?? {},
    readOnly: options.readOnly ?? method === 'GET',
    idempotent: options.idempotent ?? (method === 'GET' || method === 'PUT' || method === 'DELETE'),
    destructive: options.destructive ?? method === 'DELETE',
    summary: options.summary || `${method} ${path}`,
    description: options.description ?? '',
    declaredAt,
    engine,
    problems: [...faults, ...bodyFaults(options.body, parameters), ...output.faults]
      .map((rule) => problem(rule))
      .concat(optionProblems(method, path, options, problem)),
  };
}

/** A route without JSON parameters takes its body as bytes, of any content type (decision 2.6). */
function bodyForm(method: Method, parameters: readonly Parameter[], input: InputShape | undefined): BodyForm {
  if (parameters.some(({ place }) => place === 'body' || place === 'content')) return 'json';
  if (input !== undefined && isRawSchema(input) && hasBody(method)) return 'json';
  return hasBody(method) ? 'any' : 'none';
}

/** Bytes cannot be taken apart into parameters. */
function bodyFaults(body: BodyForm | undefined, parameters: readonly Parameter[]): readonly string[] {
  if (body === undefined || body === 'json') return [];
  return parameters
    .filter(({ place }) => place === 'body' || place === 'content')
    .map(({ name }) => `input "${name}" travels in a JSON body, and the route takes its body as "${body}"`);
}

/** One schema means status 200. */
function toOutput(output: OutputShape | undefined): {
  byStatus: Readonly<Record<number, object>>;
  faults: readonly string[];
} {
  if (output === undefined) return { byStatus: {}, faults: [] };
  if (typeof output !== 'object' || output === null)
    return { byStatus: {}, faults: ['output is not a schema'] };
  const keys = Object.keys(output);
  const isMap = keys.length > 0 && keys.every((key) => /^[1-5]\d\d$/.test(key));
  const entries = Object.entries((isMap ? output : { 200: output }) as Readonly<Record<string, object>>);
  const faults: string[] = [];
  const byStatus = Object.fromEntries(
    entries.flatMap(([status, given]) => {
      if (typeof given !== 'object' || given === null) {
        faults.push(`output ${status} is not a schema`);
        return [];
      }
      const { schema, faults: wrong } = toPlainSchema(given);
      faults.push(...wrong.map((fault) => `output ${status}: ${fault}`));
      return [[status, schema]];
    }),
  );
  return { byStatus, faults };
}

function optionProblems(
  method: Method,
  path: string,
  options: EngineRouteOptions,
  problem: (rule: string, more?: Partial<Problem>) => Problem,
): readonly Problem[] {
  const problems: Problem[] = [];
  if (!methods.includes(method)) problems.push(problem(`unknown method "${method}"`, hint(method, methods)));
  const parsed = parsePath(path);
  if (!parsed.ok) problems.push(problem(parsed.rule));
  for (const name of Object.keys(options))
    if (!Object.hasOwn(knownOptions, name))
      problems.push(problem(`unknown option "${name}"`, hint(name, Object.keys(knownOptions))));
  const { toolName, scopes = [], approval = 'never', maxBodyBytes = 0, timeoutMs = 1 } = options;
  if (toolName !== undefined && !namePattern.test(toText(toolName)))
    problems.push(problem(`tool name "${toText(toolName)}" is not 1 to 64 letters, digits, "_" or "-"`));
  if (options.tool && options.socket)
    problems.push(problem('a route that only answers upgrades cannot be a tool'));
  if (
    !Array.isArray(scopes) ||
    !scopes.every((scope) => typeof scope === 'string' && /^[\x21-\x7e]+$/.test(scope))
  )
    problems.push(problem('scopes are not a list of words without spaces'));
  if (approval !== 'never' && approval !== 'required')
    problems.push(
      problem(`unknown approval "${toText(approval)}"`, hint(toText(approval), ['never', 'required'])),
    );
  if (typeof maxBodyBytes !== 'number' || Number.isNaN(maxBodyBytes))
    problems.push(problem('maxBodyBytes is not a number of bytes'));
  else if (maxBodyBytes < 0) problems.push(problem('maxBodyBytes is negative'));
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    problems.push(problem('timeoutMs is not a positive number of milliseconds'));
  return problems;
}

/** Options may come from JavaScript, where anything can stand for a word. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : `<${typeof value}>`;
}

function hint(name: string, known: readonly string[]): Partial<Problem> {
  const close = nearest(name, known);
  return close === undefined ? {} : { nearest: close };
}
