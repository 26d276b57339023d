import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * Proxies that are believed about the client: none (`false`), the given number of hops in front of us, or those at the
 * given addresses and networks (`10.0.0.0/8`).
 */
export type TrustProxy = false | number | readonly string[];

/** What is known of the client's side of a connection. */
export interface ClientSide {
  readonly address: string;
  readonly https: boolean;
  readonly host: string | undefined;
}

/** Reads the client's side off a request; `host` is the one that it is for. */
export type ReadClientSide = (req: IncomingMessage, host: string | undefined) => ClientSide;

/**
 * Makes the reader for a setting. `X-Forwarded-For` is walked from its end, the hop nearest to us, and only as far as
 * trust reaches: what the client itself wrote there is further left and never read. `X-Forwarded-Proto` and `-Host` are
 * taken from the same hop, or from the one value that proxies which replace them leave.
 *
 * A loopback address is believed of a loopback peer only: nobody else can know one of ours.
 *
 * @throws {RangeError} for a setting that is none
 */
export function createClientSideReader(setting: TrustProxy): ReadClientSide {
  if (setting === false || setting === 0) return directSide;
  const trusts = typeof setting === 'number' ? trustsHops(setting) : trustsNetworks(setting);
  return (req, host) => {
    const direct = directSide(req, host);
    if (!trusts(direct.address, 0)) return direct;
    const { headers } = req;
    const forwarded = split(headers['x-forwarded-for']);
    let address = direct.address;
    let hops = 0;
    for (const entry of forwarded.reverse()) {
      if (!trusts(address, hops)) break;
      const next = toAddress(entry);
      // What cannot be read cannot be walked over.
      if (next === undefined || (isLoopback(next) && !isLoopback(address))) break;
      address = next;
      hops++;
    }
    const proto = atHop(split(headers['x-forwarded-proto']), hops);
    return {
      address,
      https: proto === undefined ? direct.https : proto.toLowerCase() === 'https',
      host: atHop(split(headers['x-forwarded-host']), hops) ?? direct.host,
    };
  };
}

/** What is wrong with a setting, in the words of a problem; undefined when nothing is. */
export function trustProxyFault(setting: unknown): string | undefined {
  if (setting === false) return undefined;
  if (typeof setting === 'number')
    return Number.isInteger(setting) && setting >= 0 ? undefined : 'a number of hops is a whole number';
  if (!Array.isArray(setting)) return 'it is false, a number of hops, or a list of addresses and networks';
  const bad = setting.find((network) => typeof network !== 'string' || !isNetwork(network));
  return bad === undefined ? undefined : `${JSON.stringify(bad)} is neither an address nor a network`;
}

function directSide({ socket }: IncomingMessage, host: string | undefined): ClientSide {
  return {
    address: withoutMapping(socket.remoteAddress ?? ''),
    https: 'encrypted' in socket && socket.encrypted === true,
    host,
  };
}

/** Dual-stack sockets report IPv4 peers as IPv6. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

type Trusts = (address: string, hops: number) => boolean;

function trustsHops(count: number): Trusts {
  const fault = trustProxyFault(count);
  if (fault !== undefined) throw new RangeError(`trustProxy: ${fault}`);
  return (_address, hops) => hops < count;
}

function trustsNetworks(networks: readonly string[]): Trusts {
  const fault = trustProxyFault(networks);
  if (fault !== undefined) throw new RangeError(`trustProxy: ${fault}`);
  const ranges = networks.map(toRange);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
  };
}

function isNetwork(text: string): boolean {
  return text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
}

function toRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function split(value: string | string[] | undefined): string[] {
  // Node joins the lines of these headers itself.
  return typeof value === 'string' ? value.split(',').map((entry) => entry.trim()) : [];
}

/** The entry of the proxy that is `hops` away, counted from the end; the first one where there are fewer. */
function atHop(entries: readonly string[], hops: number): string | undefined {
  return entries[Math.max(0, entries.length - Math.max(1, hops))] || undefined;
}

/** An address as proxies write it: bare, with a port, in brackets. */
function toAddress(entry: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return bare;
  return ipaddr.IPv6.isValid(bare) ? withoutMapping(bare) : undefined;
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
