import type { Fault, RuleBook } from '@waymark/contract/declaring';

/** Rules of upstreams and proxies, by the `code` that a problem carries. */
export const proxyRules = {
  'upstream-name': 'An upstream has a name.',
  'upstream-taken': 'An upstream is declared once.',
  'upstream-url': 'The base URL of an upstream is an http or https URL without a fragment.',
  'upstream-credentials': 'The base URL of an upstream has no credentials in it.',
  'upstream-header':
    'The headers of an upstream are texts that can be sent, and none is about the connection.',
  'upstream-bearer': 'The bearer token of an upstream is in a variable that is set.',
  'upstream-timeout': 'An upstream has from one millisecond to 24 days to answer.',
  'unknown-upstream': 'A proxy names an upstream that is declared.',
  'proxy-rewrite': 'A rewrite is a path, and its parameters are those of the path of its route.',
} as const satisfies RuleBook;

/** A rule of these that is broken. */
export type ProxyRuleFault = Fault<keyof typeof proxyRules>;

/** A broken rule in one line. */
export function fault(code: ProxyRuleFault['code'], rule: string, fix: string): ProxyRuleFault {
  return { code, rule, fix };
}
