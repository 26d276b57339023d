import { HTTPError } from '@waymark/contract';
import type { Guard } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';

/**
 * Who the entries belong to: the principal at the start of the chain, so an agent works with those of its caller.
 *
 * @throws {HTTPError} 401 for anonymous callers: what they kept would belong to everybody
 */
export function ownerOf({ authenticated, rootId }: Principal): string {
  if (!authenticated) throw signIn();
  return rootId;
}

/** Refuses anonymous callers before anything of their input is looked at. */
export const guardMemory: Guard = ({ route, principal }) =>
  route.facts.memory !== undefined && !principal.authenticated ? signIn() : undefined;

function signIn(): HTTPError {
  return new HTTPError(401, 'authentication is needed: a memory belongs to somebody');
}
