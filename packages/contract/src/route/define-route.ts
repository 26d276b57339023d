import { callSite } from '../declaring/call-site.ts';
import { checkOptions, isOptions } from '../declaring/check-options.ts';
import { docstring } from '../declaring/docstring.ts';
import { type Fault, type RuleBook, toProblems } from '../declaring/rule-book.ts';
import type { Engine, EngineContext } from '../engine/engine.ts';
import type { Values } from '../engine/json.ts';
import type { Handler, InputShape, OutputShape } from './handler.ts';
import type { Method, Route, RouteOptions } from './route.ts';
import { toRoute } from './to-route.ts';

/** Options of a handler route: those of every route, and its schemas. */
export type HandlerRouteOptions<I, O> = RouteOptions & {
  /** A schema for each parameter, or one raw JSON Schema. */
  readonly input?: I;
  /** One schema, or a map of status to schema. */
  readonly output?: O;
};

/**
 * Declares one handler route; the handler's types follow from `path`, `input` and `output`.
 *
 *     defineRoute('GET', '/tickets/{id}', { input: { id: Type.Integer() } }, ({ id }) => find(id))
 */
export function defineRoute<
  const P extends string,
  // biome-ignore lint/complexity/noBannedTypes: an empty record of schemas, not "any object"
  const I extends InputShape = {},
  const O extends OutputShape | undefined = undefined,
>(method: Method, path: P, options: HandlerRouteOptions<I, O>, handler: Handler<P, I, O>): Route {
  // A program without types may pass anything, or the two in the other order; the table says so at boot.
  const isHandler = typeof handler === 'function';
  const { output, ...rest }: HandlerRouteOptions<I, O> = Object(options);
  const declaredAt = rest.declaredAt ?? callSite(defineRoute);
  const route = toRoute(
    method,
    path,
    isHandler ? handlerEngine(handler as LooseHandler) : { kind: 'handler' },
    {
      facts: { describedBy: 'write a summary, or a comment at the start of the handler' },
      ...(isOptions(options) && rest),
      ...(output !== undefined && { output }),
      ...(isHandler && { summary: rest.summary || docstring(handler) }),
      ...(isHandler && isAsyncGenerator(handler) && { progress: true }),
      declaredAt,
    },
  );
  const faults = isHandler
    ? [...(isOptions(options) ? [] : checkOptions(options, {})), ...checkParameters(handler)]
    : [withoutHandler];
  const problems = toProblems(`route ${route.method} ${route.path}`, declaredAt, faults);
  return problems.length === 0 ? route : { ...route, problems: [...route.problems, ...problems] };
}

/** What holds for handler routes. */
export const handlerRules = {
  'handler-missing': 'A handler route has a handler, and it comes last.',
  'handler-response': 'A handler returns what is answered; nobody hands it a response to write to.',
} as const satisfies RuleBook;

const withoutHandler: Fault<keyof typeof handlerRules> = {
  code: 'handler-missing',
  rule: 'has no handler',
  fix: 'write the handler as the last argument, after the options',
};

/** `(req, res) =>` is how handlers of express begin; here the second is the request, and `res.send` is a 500. */
const ofExpress = /^(?:async\s*)?(?:function\s*\w*\s*)?\(\s*[\w$]+\s*,\s*res\s*[,)]/;

function checkParameters(handler: (...args: never[]) => unknown): readonly Fault[] {
  if (!ofExpress.test(Function.prototype.toString.call(handler))) return [];
  return [
    {
      code: 'handler-response',
      severity: 'warning',
      rule: 'its handler takes "res", and is given its input and the request',
      fix: 'return what is answered, and write (input, request)',
    },
  ];
}

/** The dispatcher has validated the input against the very schemas the handler's type was inferred from. */
type LooseHandler = (input: Values, request: EngineContext['request']) => unknown;

function handlerEngine(handler: LooseHandler): Engine {
  return { kind: 'handler', answer: (context) => handler(context.input, context.request) };
}

function isAsyncGenerator(fn: (...args: never[]) => unknown): boolean {
  return Object.prototype.toString.call(fn) === '[object AsyncGeneratorFunction]';
}
