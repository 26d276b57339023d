import { describe, expect, it } from 'vitest';
import { loopbackAddresses } from '../src/loopback-addresses.ts';

describe('loopbackAddresses', () => {
  const addresses = [
    ...['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'].map(
      (one) => [one, true] as const,
    ),
    ...['', '10.0.0.1', '::2', '128.0.0.1', '::ffff:10.0.0.1', 'localhost', '127.0.0.1 '].map(
      (one) => [one, false] as const,
    ),
    [undefined, false] as const,
  ];

  it.each(addresses)('says of %s: %s', (address, expected) => {
    expect(loopbackAddresses()(address)).toBe(expected);
  });

  it('says the same whatever it was asked before, and however often', () => {
    const isLoopback = loopbackAddresses();
    for (const [before] of addresses)
      for (const [address, expected] of addresses) {
        isLoopback(before);
        expect([isLoopback(address), isLoopback(address)]).toEqual([expected, expected]);
      }
  });
});
