import {
  type Body,
  callSite,
  type Engine,
  type Method,
  type Route,
  type RouteOptions,
  RouteResponse,
  toRoute,
} from '@waymark/contract';

/** The options of a constant answer. */
export interface StaticRouteOptions extends RouteOptions {
  /** 200. */
  readonly status?: number;
}

/**
 * Declares a constant answer, serialised once, at boot (spec: `static`). Bytes are sent as
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
  const route = toRoute(method, path, engine, { ...rest, declaredAt });
  if (answer.ok) return route;
  const problem = { declaration: `route ${method} ${path}`, rule: answer.rule, at: declaredAt };
  return { ...route, problems: [...route.problems, problem] };
}

type Constant =
  | { readonly ok: true; readonly response: RouteResponse }
  | { readonly ok: false; readonly rule: string };

function toConstant(body: unknown, status: number): Constant {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    return { ok: false, rule: `${status} is not a status an answer can have` };
  if (body === undefined || status === 204 || status === 304) return constant(status, { kind: 'empty' });
  if (body instanceof Uint8Array)
    // A copy: the bytes of a constant answer must not change with the buffer they came from.
    return constant(status, {
      kind: 'bytes',
      bytes: new Uint8Array(body),
      mediaType: 'application/octet-stream',
    });
  const text = toText(body);
  return text === undefined
    ? { ok: false, rule: 'the body is not JSON' }
    : constant(status, { kind: 'json', text });
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
