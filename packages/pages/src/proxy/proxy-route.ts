import { media, type Route, toRoute } from '@waymark/contract';
import { checkOptions, type Fault, isOptions, nearestOr } from '@waymark/contract/declaring';
import { type BodyForm, parsePath, type Segment } from '@waymark/contract/route';
import { toPathPair } from './path-writer.ts';
import type { ProxyDeclaration, ProxyOptions } from './proxy.ts';
import { toProxyEngine, type Upstream } from './proxy-engine.ts';
import { fault, type ProxyRuleFault } from './proxy-rules.ts';

/** How much later than its upstream a route gives up: the upstream's own end says more. */
const graceMs = 1000;

/** The route of a declared proxy, and what is wrong with the declaration. */
export interface ProxyRoute {
  readonly route: Route;
  readonly faults: readonly Fault[];
}

/** Makes the route of a proxy. It answers nothing where something is wrong with the declaration. */
export function toProxyRoute(
  { options, declaredAt }: ProxyDeclaration,
  upstreams: ReadonlyMap<string, Upstream | undefined>,
): ProxyRoute {
  const { method, path, upstream: name, given } = options;
  const { rewrite, ...routeOptions } = isOptions(given) ? given : ({} as ProxyOptions);
  const upstream = upstreams.get(name);
  const faults = [
    ...(isOptions(given) ? [] : checkOptions(given, {})),
    ...checkUpstreamName(name, upstreams),
    ...checkRewrite(path, rewrite),
  ];
  const template = rewrite ?? path;
  const known = faults.length === 0 && [path, template].every((one) => parsePath(String(one)).ok);
  const paths = known ? toPathPair(path, template) : undefined;
  const route = toRoute(method, path, toProxyEngine(upstream, paths), {
    ...(upstream && { timeoutMs: upstream.timeoutMs + graceMs }),
    ...routeOptions,
    declaredAt,
    // Whatever the upstream answers.
    facts: { answers: { 200: [media('*/*')] }, fails: [404, 502], failsAs: [media('*/*')] },
  });
  return { route: streaming(route, routeOptions.maxBodyBytes), faults };
}

/** A body that nobody has to look into is forwarded as it comes, and may then be of any size (decision 2.6). */
function streaming(route: Route, maxBodyBytes = Number.POSITIVE_INFINITY): Route {
  return passing.has(route.body) ? { ...route, body: 'source', maxBodyBytes } : route;
}

const passing: ReadonlySet<BodyForm> = new Set(['any', 'bytes', 'source']);

function checkUpstreamName(
  name: unknown,
  upstreams: ReadonlyMap<string, unknown>,
): readonly ProxyRuleFault[] {
  if (typeof name === 'string' && upstreams.has(name)) return [];
  const code = 'unknown-upstream';
  const known = [...upstreams.keys()];
  if (typeof name !== 'string') return [fault(code, 'its upstream is not a name', 'write the name of one')];
  const fix =
    known.length === 0 ? `declare it: upstream('${name}', 'https://…')` : `there is ${known.join(', ')}`;
  return [{ code, rule: `unknown upstream "${name}"`, ...nearestOr(fix, name, known) }];
}

function checkRewrite(path: unknown, rewrite: unknown): readonly ProxyRuleFault[] {
  if (rewrite === undefined) return [];
  const code = 'proxy-rewrite';
  if (typeof rewrite !== 'string')
    return [fault(code, 'rewrite is not a path', "write rewrite: '/v1/tickets/{id}'")];
  const parsed = parsePath(rewrite);
  if (!parsed.ok)
    return [fault(code, `rewrite: ${parsed.rule}`, "write it like '/v1/tickets/{id}', without a query")];
  const own = typeof path === 'string' ? parameters(path) : [];
  const names = own.map(({ name }) => name);
  return parameters(rewrite).flatMap((wanted): readonly ProxyRuleFault[] => {
    const match = own.find(({ name }) => name === wanted.name);
    if (!match)
      return [
        {
          code,
          rule: `rewrite: the path of the route has no {${wanted.name}}`,
          ...nearestOr('name a parameter of the path', wanted.name, names),
        },
      ];
    // Its slashes would be encoded; before other segments it can only be one.
    if (match.kind === 'rest' && rewrite.endsWith(`{${wanted.name}}`))
      return [
        fault(
          code,
          `rewrite: {${wanted.name}} is {${wanted.name}*} in the path of the route`,
          `write {${wanted.name}*}`,
        ),
      ];
    // A slash that the caller has encoded would separate there.
    return wanted.kind === 'rest' && match.kind === 'parameter'
      ? [
          fault(
            code,
            `rewrite: {${wanted.name}*} is {${wanted.name}} in the path of the route`,
            `write {${wanted.name}}`,
          ),
        ]
      : [];
  });
}

function parameters(template: string): readonly Exclude<Segment, { kind: 'literal' }>[] {
  const parsed = parsePath(template);
  return parsed.ok ? parsed.segments.flatMap((one) => (one.kind === 'literal' ? [] : [one])) : [];
}
