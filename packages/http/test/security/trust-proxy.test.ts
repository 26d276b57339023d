import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createClientSideReader, type TrustProxy, trustProxyFault } from '../../src/security/trust-proxy.ts';

/** What is seen of a request from `peer` with these headers. */
function seen(trust: TrustProxy, peer: string, headers: Record<string, string>, encrypted = false) {
  // Only these members of a request are read.
  const req = { socket: { remoteAddress: peer, encrypted }, headers };
  return createClientSideReader(trust)(req as unknown as IncomingMessage, 'inner:8000');
}

const from = (addresses: string) => ({ 'x-forwarded-for': addresses });

describe('without trust', () => {
  it('counts only what the connection itself shows', () => {
    const spoofed = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
    };
    for (const setting of [false, 0, ['10.9.9.9']] as const)
      expect(seen(setting, '10.0.0.1', spoofed)).toEqual({
        address: '10.0.0.1',
        https: false,
        host: 'inner:8000',
      });
  });

  it('tells TLS and IPv4 over IPv6 from the socket', () => {
    expect(seen(false, '::ffff:192.0.2.1', {}, true)).toMatchObject({ address: '192.0.2.1', https: true });
  });
});

describe('a number of hops', () => {
  it.each([
    [1, '203.0.113.9', '203.0.113.9'],
    [1, '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    [2, '198.51.100.1, 203.0.113.9', '198.51.100.1'],
    [2, '1.1.1.1, 198.51.100.1,203.0.113.9', '198.51.100.1'],
    [3, '203.0.113.9', '203.0.113.9'],
    [1, '', '10.0.0.1'],
    [1, '203.0.113.9, unknown', '10.0.0.1'],
    [1, '203.0.113.9, 198.51.100.1:5123', '198.51.100.1'],
    [1, '[2001:db8::1]:5123', '2001:db8::1'],
    [1, '::ffff:203.0.113.9', '203.0.113.9'],
    [1, '0x7f.1', '10.0.0.1'],
  ])('%i of "%s" is %s', (hops, addresses, client) => {
    expect(seen(hops, '10.0.0.1', from(addresses)).address).toBe(client);
  });
});

describe('a list of proxies', () => {
  const proxies = ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'];

  it.each([
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['192.0.2.1', '1.1.1.1, 203.0.113.9, 10.3.3.3', '203.0.113.9'],
    ['2001:db8::5', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '10.0.0.2, 10.0.0.3', '10.0.0.2'],
    ['192.0.2.2', '203.0.113.9', '192.0.2.2'],
    ['', '203.0.113.9', ''],
  ])('from %s with "%s" is %s', (peer, addresses, client) => {
    expect(seen(proxies, peer, from(addresses)).address).toBe(client);
  });
});

describe('a loopback address', () => {
  it('is believed of a loopback peer only', () => {
    expect(seen(1, '10.0.0.1', from('127.0.0.1')).address).toBe('10.0.0.1');
    expect(seen(1, '10.0.0.1', from('::1')).address).toBe('10.0.0.1');
    expect(seen(['10.0.0.0/8'], '10.0.0.1', from('127.5.5.5')).address).toBe('10.0.0.1');
    expect(seen(1, '127.0.0.1', from('127.0.0.1')).address).toBe('127.0.0.1');
  });
});

describe('scheme and host', () => {
  it('are those the trusted proxy names', () => {
    const headers = {
      ...from('203.0.113.9'),
      'x-forwarded-proto': 'HTTPS',
      'x-forwarded-host': 'app.example.com',
    };
    expect(seen(1, '10.0.0.1', headers)).toEqual({
      address: '203.0.113.9',
      https: true,
      host: 'app.example.com',
    });
  });

  it('are taken from as far away as the address, never from what the client wrote in front', () => {
    const headers = {
      ...from('6.6.6.6, 203.0.113.9, 10.0.0.2'),
      'x-forwarded-proto': 'https, http, https',
      'x-forwarded-host': 'evil.example, app.example.com, inner',
    };
    expect(seen(2, '10.0.0.1', headers)).toMatchObject({ https: false, host: 'app.example.com' });
    expect(seen(1, '10.0.0.1', headers)).toMatchObject({ https: true, host: 'inner' });
  });

  it('are those of the connection where the proxy names none', () => {
    expect(seen(1, '10.0.0.1', from('203.0.113.9'), true)).toMatchObject({ https: true, host: 'inner:8000' });
    expect(seen(1, '10.0.0.1', { 'x-forwarded-proto': 'http' }, true).https).toBe(false);
  });
});

describe('trustProxyFault', () => {
  it.each([[false], [0], [3], [[]], [['10.0.0.1', '::1', '10.0.0.0/8', '2001:db8::/32']]])(
    'finds nothing wrong with %j',
    (setting) => {
      expect(trustProxyFault(setting)).toBeUndefined();
    },
  );

  it.each([
    [true, 'it is false, a number of hops, or a list of addresses and networks'],
    ['10.0.0.1', 'it is false, a number of hops, or a list of addresses and networks'],
    [-1, 'a number of hops is a whole number'],
    [1.5, 'a number of hops is a whole number'],
    [['10.0.0.1', 'nginx'], '"nginx" is neither an address nor a network'],
    [['10.0.0.0/33'], '"10.0.0.0/33" is neither an address nor a network'],
  ])('says of %j: %s', (setting, fault) => {
    expect(trustProxyFault(setting)).toBe(fault);
  });

  it('is what the reader throws', () => {
    expect(() => createClientSideReader(-1)).toThrow('trustProxy: a number of hops is a whole number');
    expect(() => createClientSideReader(['x'])).toThrow('trustProxy: "x" is neither');
  });
});
