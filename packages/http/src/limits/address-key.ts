import type { Principal } from '@waymark/contract/principal';
import ipaddr from 'ipaddr.js';

/** Somebody who is counted by address. */
export interface ClientKey {
  readonly addressKey: string;
}

/**
 * What stands for a client where its address is counted: the address, and of IPv6 the /64, since a single machine has
 * all of it (decision 2.9).
 */
export function toAddressKey(address: string): string {
  if (!address.includes(':')) return address;
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** What stands for a caller: its principal, or its address as long as it is anonymous. The two never meet. */
export function toCallerKey({ authenticated, id }: Principal, client: ClientKey): string {
  return authenticated ? `id ${id}` : `ip ${client.addressKey}`;
}
