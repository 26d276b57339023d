import { lookup as systemLookup } from 'node:dns';
import { createRequire } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';
import { metadataAddresses } from '@waymark/contract/http';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';

const load = createRequire(import.meta.url);

/** Says whether a connection to an address may be made. */
export type AddressRule = (address: string) => boolean;

/** The failure of a connection that its rule forbids. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

const metadata = metadataAddresses.map((address) => ipaddr.parse(address).toNormalizedString());

/** All that is assigned to the public internet lies here; ipaddr.js calls the rest of the space unicast too. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** The rule for URLs that a caller may have chosen: the public internet only. */
export const isPublic: AddressRule = (address) => {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || isMetadata(address)) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
};

/** The rule for URLs of a declaration: anything but the metadata services of clouds. */
export const isDeclarable: AddressRule = (address) => !isMetadata(address);

function isMetadata(address: string): boolean {
  const parsed = ipaddr.process(address);
  return [parsed, ...carried(parsed)].some((one) => metadata.includes(one.toNormalizedString()));
}

/** Networks that carry IPv4, and the byte at which its address begins: NAT64 (RFC 6052, and the /96 of a house by RFC 8215), 6to4, what was IPv4-compatible. */
const carriers = [
  [ipaddr.IPv6.parseCIDR('64:ff9b::/96'), 12],
  [ipaddr.IPv6.parseCIDR('64:ff9b:1::/48'), 12],
  [ipaddr.IPv6.parseCIDR('2002::/16'), 2],
  [ipaddr.IPv6.parseCIDR('::/96'), 12],
] as const;

function carried(address: ipaddr.IPv4 | ipaddr.IPv6): readonly ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return [];
  const bytes = address.toByteArray();
  return carriers.flatMap(([network, at]) =>
    address.match(network) ? [new ipaddr.IPv4(bytes.slice(at, at + 4))] : [],
  );
}

/**
 * Makes a connector that checks the very address it connects to: a name that resolved well a moment ago, when somebody
 * looked at the URL, may resolve otherwise now.
 */
export function guardedConnector(
  rule: AddressRule,
  lookup: LookupFunction = systemLookup,
): buildConnector.connector {
  const build = load('undici/lib/core/connect.js') as typeof buildConnector;
  const connect = build({ lookup: guardedLookup(rule, lookup) });
  return (options, callback) => {
    // Addresses are not looked up.
    if (isIP(options.hostname) !== 0 && !rule(options.hostname)) callback(refusal(options.hostname), null);
    else connect(options, callback);
  };
}

/** One forbidden address among several is enough: which of them would be used is not ours to say. */
function guardedLookup(rule: AddressRule, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      if (!error && !addresses.every(rule)) callback(refusal(hostname), found, family);
      else callback(error, found, family);
    });
  };
}

function refusal(host: string): AddressRefused {
  return new AddressRefused(`the address of ${host} is not allowed`);
}
