import type { Principal } from '@waymark/contract/principal';

/**
 * Takes what somebody's own code says of a caller. The compiler may not have seen it: scopes that are one text, as
 * tokens write them, would hold every part of that text.
 *
 * @returns undefined for nobody
 * @throws {TypeError} for what is no principal
 */
export function toPrincipal(given: unknown): Principal | undefined {
  if (!given) return undefined;
  if (isPrincipal(given)) return given;
  throw new TypeError(
    'principalOf gives { id, rootId, authenticated, scopes }, the scopes as a list of texts, or undefined',
  );
}

function isPrincipal(given: unknown): given is Principal {
  const { id, rootId, authenticated, scopes } = Object(given) as Readonly<Record<string, unknown>>;
  return (
    [id, rootId].every((one) => typeof one === 'string' && one !== '') &&
    typeof authenticated === 'boolean' &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === 'string')
  );
}
