import { BlockList, isIP } from 'node:net';

/**
 * Makes what says whether an address is of this machine, in every spelling: 127/8, ::1, and 127/8 written as IPv6. The
 * last address is remembered: most callers come from where the one before came from, and to look it up takes longer than
 * all else that is asked of them.
 */
export function loopbackAddresses(): (address: string | undefined) => boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  let last = '';
  let lastIsLoopback = false;
  return (address = '') => {
    if (address === last) return lastIsLoopback;
    const family = isIP(address);
    lastIsLoopback = family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
    last = address;
    return lastIsLoopback;
  };
}
