import type { Feature } from '@waymark/contract/declaring';
import { createProxies, type ForwardingDeclaration } from './create-proxies.ts';
import { proxy } from './proxy.ts';
import { proxyRules } from './proxy-rules.ts';
import { upstream } from './upstream.ts';

/** Feature with the declaration calls `upstream` and `proxy`, their rules, and the plugin that forwards. */
export const forwardingFeature = {
  name: 'forwarding',
  kinds: [
    { method: 'upstream', declare: upstream, options: 2, title: (name) => `upstream "${name}"` },
    { method: 'proxy', declare: proxy, options: 3, title: (method, path) => `proxy ${method} ${path}` },
  ],
  rules: proxyRules,
  plugin: (declarations) => createProxies(declarations),
} as const satisfies Feature<ForwardingDeclaration>;
