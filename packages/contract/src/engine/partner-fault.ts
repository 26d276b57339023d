import { HTTPError } from './http-error.ts';

/** How far causes are followed. */
const depth = 5;

const byCode: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'refuses connections'],
  [/^(?:ENOTFOUND|EAI_)/, 'has a name that cannot be resolved'],
  [/^(?:EHOST|ENET|EADDR)/, 'is not reachable'],
  [/^(?:CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/, 'fails at TLS'],
  [/^HPE_/, 'does not speak HTTP'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'breaks off'],
];

/**
 * What whom one asked does wrong, in a few words of ours, by what `Outbound.request` or the body of its answer failed with.
 * They hold nothing of what was sent, nor where to.
 *
 * @param otherwise what it does where an answer came
 */
export function partnerFault(error: unknown, otherwise = 'does not answer'): string {
  const chain = causesOf(error);
  const http = chain.find((one) => one instanceof HTTPError);
  const isLate =
    http?.status === 504 || chain.some((one) => one instanceof Error && one.name === 'TimeoutError');
  if (isLate) return 'takes too long to answer';
  if (http?.status === 403) return 'has an address that may not be reached';
  for (const one of chain) {
    const { code } = one as { readonly code?: unknown };
    const known = typeof code === 'string' && byCode.find(([pattern]) => pattern.test(code));
    if (known) return known[1];
  }
  return http ? 'does not answer' : otherwise;
}

/** An error and its causes, and of several the first. */
function causesOf(error: unknown): readonly object[] {
  const chain: object[] = [];
  let one = error;
  while (typeof one === 'object' && one !== null && chain.length < depth) {
    chain.push(one);
    const { cause, errors } = one as { readonly cause?: unknown; readonly errors?: readonly unknown[] };
    one = cause ?? errors?.[0];
  }
  return chain;
}
