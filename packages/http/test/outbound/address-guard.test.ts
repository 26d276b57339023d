import { describe, expect, it } from 'vitest';
import { isDeclarable, isPublic } from '../../src/outbound/address-guard.ts';

describe('isPublic', () => {
  it.each(['93.184.216.34', '1.1.1.1', '172.15.0.1', '172.32.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
    'allows %s',
    (address) => expect(isPublic(address)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '100.100.100.200',
    '168.63.129.16',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '5f00::1',
    '4000::1',
  ])('refuses %s', (address) => expect(isPublic(address)).toBe(false));
});

describe('isDeclarable', () => {
  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '192.168.1.20',
    '169.254.1.1',
    'fe80::1',
    '93.184.216.34',
    '64:ff9b::10.0.0.1',
    '::1',
  ])('allows %s', (address) => expect(isDeclarable(address)).toBe(true));

  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '169.254.170.2',
    // Carried through another network: NAT64, 6to4, and the form that was once compatible.
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::169.254.169.254',
    '64:ff9b:1:fe::169.254.169.254',
    '2002:a9fe:a9fe::1',
    '::169.254.169.254',
    '100.100.100.200',
    'fd00:ec2:0::254',
    'fd20:ce::254',
    'fd00:c1::169.254.169.254',
    '169.254.42.42',
    'fd00:42:0::42',
    '169.254.0.23',
    '192.0.0.192',
    'fd00:100::100:200',
    'fd00:a9fe:a9fe::1',
    'fe80::a9fe:a9fe',
  ])('refuses %s', (address) => expect(isDeclarable(address)).toBe(false));
});
