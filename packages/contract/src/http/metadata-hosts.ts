import { metadataAddresses } from './metadata-addresses.ts';

/** What carries IPv4 in IPv6: as it is mapped, by NAT64 (RFC 6052 and 8215), and what was once compatible. */
const carriers = ['::ffff:', '64:ff9b::', '64:ff9b:1::', '::'];

/** Hosts as URLs write them: an address has many spellings, and a URL but one. */
const metadataHosts: ReadonlySet<string> = new Set([
  ...metadataAddresses.flatMap((address) =>
    address.includes(':')
      ? [hostOf(`[${address}]`)]
      : [hostOf(address), ...carriers.map((carrier) => hostOf(`[${carrier}${address}]`))],
  ),
  'metadata.google.internal',
]);

/** Whether a URL names a place where clouds hand out credentials. @param host its `hostname` */
export function isMetadataHost(host: string): boolean {
  return metadataHosts.has(host.replace(/\.$/, ''));
}

function hostOf(address: string): string {
  return new URL(`http://${address}`).hostname;
}
