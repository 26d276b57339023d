import { media, type Route, type RouteOptions, toRoute } from '@waymark/contract';
import { callSite, type Fault, type RuleBook, toProblems } from '@waymark/contract/declaring';
import { type Body, type Engine, RouteResponse } from '@waymark/contract/engine';
import type { Method } from '@waymark/contract/route';

/** Options of a constant answer, besides those of every route. */
export interface StaticRouteOptions extends RouteOptions {
  /** Status of the answer, 200 to 599; default: 200. */
  readonly status?: number;
}

/**
 * Makes a route with a constant answer, serialised once (spec: `static`). Bytes are sent as
 * `application/octet-stream`, anything else as JSON.
 */
export function staticRoute(
  method: Method,
  path: string,
  body: unknown,
  options: StaticRouteOptions = {},
): Route {
  const { status = 200, ...rest } = options;
  const declaredAt = options.declaredAt ?? callSite(staticRoute);
  const answer = toConstant(body, status);
  const engine: Engine = { kind: 'static', ...(answer.ok && { answer: () => answer.response }) };
  const route = toRoute(method, path, engine, {
    ...rest,
    declaredAt,
    ...(answer.ok && { facts: { atOnce: true, answers: { [status]: toSchemas(answer.response.body) } } }),
  });
  if (answer.ok) return route;
  const problems = toProblems(`route ${route.method} ${route.path}`, declaredAt, [answer.fault]);
  return { ...route, problems: [...route.problems, ...problems] };
}

/** Rules of constant answers, by the `code` that a problem carries. */
export const staticRules = {
  'static-status': 'The status of a constant answer is a number from 200 to 599.',
  'static-body': 'The body of a constant answer is bytes, or what JSON can hold.',
} as const satisfies RuleBook;

type Constant =
  | { readonly ok: true; readonly response: RouteResponse }
  | { readonly ok: false; readonly fault: Fault<keyof typeof staticRules> };

function toConstant(body: unknown, status: unknown): Constant {
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    return {
      ok: false,
      fault: {
        code: 'static-status',
        rule: `${typeof status === 'number' ? status : `<${typeof status}>`} is not a status an answer can have`,
        fix: 'write a number from 200 to 599',
      },
    };
  if (body === undefined || status === 204 || status === 304) return constant(status, { kind: 'empty' });
  if (body instanceof Uint8Array)
    // A copy: the bytes of a constant answer must not change with the buffer they came from.
    return constant(status, {
      kind: 'bytes',
      bytes: new Uint8Array(body),
      mediaType: 'application/octet-stream',
    });
  const text = toText(body);
  if (text !== undefined) return constant(status, { kind: 'json', text });
  const fix =
    typeof body === 'function'
      ? 'declare a route with this handler, or write the value it gives'
      : 'write a value without functions, circles and BigInts';
  return { ok: false, fault: { code: 'static-body', rule: 'the body is not JSON', fix } };
}

/** What documents and clients say of the answer. */
function toSchemas(body: Body): readonly object[] {
  if (body.kind === 'json') {
    // From what is sent: the value itself is serialised once.
    const value: unknown = JSON.parse(body.text);
    return [{ ...toSchema(value), ...(body.text.length <= longestExample && { examples: [value] }) }];
  }
  return body.kind === 'bytes' ? [media(body.mediaType)] : [];
}

/** Characters of an answer that documents show as it is. */
const longestExample = 2_000;

/** The types of a JSON value; its first example is the value itself. */
function toSchema(value: unknown): object {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value !== 'object') return { type: typeof value };
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toSchema(member)])),
    required: Object.keys(value),
  };
}

function constant(status: number, body: Body): Constant {
  return { ok: true, response: new RouteResponse(status, body) };
}

/** @returns undefined for what JSON cannot hold: a function, a cycle, a BigInt */
function toText(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
}
