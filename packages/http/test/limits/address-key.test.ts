import { describe, expect, it } from 'vitest';
import { toAddressKey } from '../../src/limits/address-key.ts';

describe('toAddressKey', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['', ''],
    ['no:address', 'no:address'],
  ])('counts %s as %s', (address, key) => {
    expect(toAddressKey(address)).toBe(key);
  });
});
