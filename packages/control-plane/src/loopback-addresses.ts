import { BlockList, isIP } from 'node:net';

/** Makes what says whether an address is of this machine, in every spelling: 127/8, ::1, and 127/8 written as IPv6. */
export function loopbackAddresses(): (address: string | undefined) => boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  return (address = '') => {
    const family = isIP(address);
    return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}
