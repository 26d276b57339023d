import type { Finding, LimitInForce } from '@waymark/contract/declaring';
import type { SecurityFacts } from './facts.ts';
import { warning } from './finding.ts';
import { labelOf } from './surface.ts';

/** Finds policies of the wire that protect nobody, and limits that are not there. */
export function policyFindings(facts: SecurityFacts): readonly Finding[] {
  const { cors, trustProxy, allowedHosts = [], securityHeaders, limits = [] } = facts;
  return [
    ...(cors?.origins.includes('*')
      ? [warning('cors lets the pages of any origin read answers', 'name the origins in cors')]
      : []),
    ...(trustsEverybody(trustProxy)
      ? [
          warning(
            'trustProxy believes every peer: callers choose the address by which they are limited and logged',
            'give trustProxy the addresses of the proxies, or how many there are',
          ),
        ]
      : []),
    ...(allowedHosts.includes('*')
      ? [
          warning(
            'allowedHosts takes any Host: a page can reach the service under a name of its own (DNS rebinding)',
            'name the hosts in allowedHosts',
          ),
        ]
      : []),
    ...(securityHeaders?.enabled === false
      ? [warning('security headers are disabled', 'remove enabled: false from securityHeaders')]
      : []),
    ...limits.filter(({ value }) => value === 'none').map(unlimited),
    ...unboundedRoutes(facts),
  ];
}

/** Every address there is, in one family or both. */
const everyAddress = ['*', '0.0.0.0/0', '::/0'];

function trustsEverybody(trustProxy: SecurityFacts['trustProxy']): boolean {
  if (typeof trustProxy !== 'object') return trustProxy === true;
  return trustProxy.some((address) => everyAddress.includes(address));
}

function unlimited({ name }: LimitInForce): Finding {
  const option = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return warning(
    `no ${name.replaceAll('_', ' ')} is in force`,
    name === 'rate_limit' ? 'declare a rateLimit' : `set ${option}`,
  );
}

/** Routes that switched their own limits off. A body that its engine reads as it comes is never held, so it may be of any size. */
function unboundedRoutes(facts: SecurityFacts): readonly Finding[] {
  return [...facts.table].flatMap((route) => {
    const { plane, socket, body, maxBodyBytes, timeoutMs } = route;
    if (plane === 'control') return [];
    const label = labelOf(facts, route);
    const keepsBody = socket || (body !== 'none' && body !== 'source');
    return [
      ...(keepsBody && maxBodyBytes === Number.POSITIVE_INFINITY
        ? [warning(`${label} takes ${socket ? 'messages' : 'bodies'} of any size`, 'set its maxBodyBytes')]
        : []),
      // A socket lives as long as both sides want; what it calls has a deadline.
      ...(!socket && timeoutMs === Number.POSITIVE_INFINITY
        ? [warning(`${label} may take for ever`, 'set its timeoutMs')]
        : []),
    ];
  });
}
