import { DeclarationError, type Problem } from '@waymark/contract';
import { asText, toProblems } from '@waymark/contract/declaring';
import { Partners, type Plugin, partnerFault } from '@waymark/contract/engine';
import { parsePath } from '@waymark/contract/route';
import { checkUpstream, upstreamOptions } from './check-upstream.ts';
import type { ProxyDeclaration } from './proxy.ts';
import type { Reach, Upstream } from './proxy-engine.ts';
import { toProxyRoute } from './proxy-route.ts';
import { type PublicRoute, toPublicRoute } from './public-address.ts';
import { toOwnHeaders } from './request-headers.ts';
import { toBase } from './target.ts';
import type { UpstreamDeclaration } from './upstream.ts';

/** Declaration of an upstream or a proxy: what `createProxies` takes. */
export type ForwardingDeclaration = UpstreamDeclaration | ProxyDeclaration;

/** To the headers of an answer, where an upstream does not say. */
const defaultTimeoutMs = 30_000;

/**
 * Makes the plugin of declared upstreams and proxies. Its check reports wrong declarations; its start reads the tokens
 * from their variables and takes the outbound client of the host.
 */
export function createProxies(declarations: readonly ForwardingDeclaration[]): Plugin {
  const upstreams = declarations.filter((one) => one.kind === 'upstream');
  const proxies = declarations.filter((one) => one.kind === 'proxy');
  const reached = new Map<string, Reach>();
  let partners: Partners | undefined;
  const addresses: PublicRoute[] = [];
  const byName = new Map(upstreams.map((one) => [one.name, toUpstream(one, reached, addresses)]));
  const forwarding = proxies.map((one) => toProxyRoute(one, byName));
  addresses.push(...proxies.flatMap((one) => publicRouteOf(one, byName)));
  const check = (env: (name: string) => string | undefined): readonly Problem[] => [
    ...upstreams.flatMap((one, i) => {
      const twin = upstreams.slice(0, i).find(({ name }) => name === one.name);
      return toProblems(`upstream "${asText(one.name)}"`, one.declaredAt, checkUpstream(one, twin, env));
    }),
    ...proxies.flatMap((one, i) =>
      toProblems(`proxy ${one.name}`, one.declaredAt, forwarding[i]?.faults ?? []),
    ),
  ];
  return {
    name: 'proxies',
    placement: 'any',
    routes: forwarding.map(({ route }) => route),
    check: ({ env }) => check(env),
    troubles: () => partners?.troubles() ?? [],
    start(host) {
      const { env, outbound } = host;
      const broken = check(env);
      if (broken.length > 0) throw new DeclarationError(broken);
      partners = new Partners('upstream', { monotonic: () => host.monotonic() });
      for (const { name, options } of upstreams) {
        const { headers, bearerEnv } = upstreamOptions(options.given);
        const token = bearerEnv === undefined ? undefined : env(bearerEnv);
        const partner = partners.of(name);
        reached.set(name, {
          ...{ outbound, headers: toOwnHeaders(headers, token), partner },
          onBreak: (error) => partner.failed(partnerFault(error)),
        });
      }
    },
  };
}

/** @returns undefined where its base URL is none */
function toUpstream(
  { name, options }: UpstreamDeclaration,
  reached: ReadonlyMap<string, Reach>,
  addresses: readonly PublicRoute[],
): Upstream | undefined {
  const base = toBase(options.baseUrl);
  if (!base) return undefined;
  const { timeoutMs = defaultTimeoutMs } = upstreamOptions(options.given);
  const reach = (): Reach => {
    const found = reached.get(name);
    if (!found) throw new Error('the plugin of the proxies has not started');
    return found;
  };
  return { name, base, timeoutMs, reach, addresses };
}

function publicRouteOf(
  { options }: ProxyDeclaration,
  upstreams: ReadonlyMap<string, Upstream | undefined>,
): readonly PublicRoute[] {
  const { method, path, upstream, given } = options;
  const base = upstreams.get(upstream)?.base;
  const rewrite = given?.rewrite ?? path;
  const known = base && [path, rewrite].every((one) => parsePath(asText(one)).ok);
  return known ? [toPublicRoute(method, path, rewrite, base)] : [];
}
