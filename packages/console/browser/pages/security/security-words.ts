import type { ControlSecurityOutput as Report } from '../../client/control.ts';
import { toCount } from '../../design/words.ts';

/** A limit as people say it: its number with thousands apart, and its unit. */
export function toLimitText(value: number, unit: string | undefined): string {
  const text = Number.isInteger(value) ? toCount(value) : String(value);
  return unit === undefined ? text : `${text} ${unit}`;
}

/** The policies of the wire, as far as the report was told. */
export function toPolicies({
  cors,
  security_headers: headers,
  trust_proxy: proxy,
  allowed_hosts: hosts,
}: Pick<Report, 'cors' | 'security_headers' | 'trust_proxy' | 'allowed_hosts'>): readonly (readonly [
  string,
  string,
])[] {
  return [
    [
      'Other sites',
      cors === null || cors.origins.length === 0
        ? 'may not read its answers in a browser'
        : `${cors.origins.join(', ')} may read its answers${cors.credentials ? ', also as whoever is signed in' : ''}`,
    ],
    [
      'Security headers',
      headers === null ? 'the report was not told' : headers.enabled ? 'are sent' : 'are not sent',
    ],
    ...(headers?.enabled && headers.content_security_policy !== null
      ? ([['Content policy', headers.content_security_policy]] as const)
      : []),
    ['Proxy', toProxy(proxy)],
    ['Hosts', hosts.length === 0 ? 'any name, on this machine its own' : hosts.join(', ')],
  ];
}

function toProxy(proxy: Report['trust_proxy']): string {
  if (proxy === null || proxy === false) return 'none is believed about the address of callers';
  if (proxy === true) return 'whoever is in front is believed about the address of callers';
  return typeof proxy === 'number' ? `the last ${proxy} are believed` : `${proxy.join(', ')} are believed`;
}
