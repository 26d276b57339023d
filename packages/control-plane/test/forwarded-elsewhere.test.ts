import { verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forwardedElsewhere } from '../src/forwarded-elsewhere.ts';

const found = (headers: Readonly<Record<string, string>> | undefined): string | undefined =>
  forwardedElsewhere()(headers);

describe('forwardedElsewhere', () => {
  it.each([
    ['nothing', undefined],
    ['no header', {}],
    ['headers of callers', { host: 'localhost', origin: 'http://localhost', cookie: 'a=203.0.113.7' }],
    ['IPv4', { 'x-forwarded-for': '127.0.0.1' }],
    ['IPv6', { 'x-forwarded-for': '::1' }],
    ['a mapped address', { 'x-forwarded-for': '::ffff:127.0.0.1' }],
    ['ports', { 'x-forwarded-for': '127.0.0.1:4711, [::1]:4711' }],
    ['a name', { 'x-real-ip': 'localhost', 'x-forwarded-for': 'LocalHost' }],
    [
      'all that a server for development sends',
      {
        'x-forwarded-for': '::1',
        'x-forwarded-host': 'localhost:3000',
        'x-forwarded-port': '3000',
        'x-forwarded-proto': 'http',
        via: '1.1 dev',
      },
    ],
    ['the standard', { forwarded: 'for=127.0.0.1;proto=http;by="[::1]:80", For="[::1]:4711"' }],
  ])('finds nothing in %s of this machine', (_what, headers) => {
    verifies('authority.control.forwarded-here');
    expect(found(headers)).toBeUndefined();
  });

  it.each([
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' },
    { 'x-forwarded-for': '203.0.113.7, 127.0.0.1' },
    { 'x-real-ip': '192.168.1.4' },
    { 'cf-connecting-ip': '2001:db8::1' },
    { 'true-client-ip': '203.0.113.7' },
    { forwarded: 'for=203.0.113.7' },
    { forwarded: 'for="[2001:db8::1]:4711"' },
    { forwarded: 'for=127.0.0.1, for=203.0.113.7' },
  ])('finds who is elsewhere in %o', (headers) => {
    verifies('authority.control.forwarded');
    expect(found(headers)).toBe(Object.keys(headers)[0]);
  });

  it.each([
    ...['garbage', '', ' ', ',', '127.0.0.1,', '127.1', '127.0.0.1.example.org', '2130706433', 'unknown'].map(
      (text) => ({ 'x-forwarded-for': text }),
    ),
    ...['', 'proto=https', 'for=127.0.0.1, proto=https', 'for=unknown', 'for=_hidden', 'for', 'for='].map(
      (text) => ({ forwarded: text }),
    ),
    ...['for=127.0.0.1;for=127.0.0.1', 'for="127.0.0.1', 'host="a;for=127.0.0.1;b"', '127.0.0.1'].map(
      (text) => ({ forwarded: text }),
    ),
  ])('takes for nobody of this machine who cannot be read: %o', (headers) => {
    verifies('authority.control.forwarded');
    expect(found(headers)).toBe(Object.keys(headers)[0]);
  });

  it.each(['via', 'x-forwarded-host', 'x-forwarded-proto', 'cdn-loop'])('asks %s for whom', (name) => {
    verifies('authority.control.forwarded');
    expect(found({ [name]: '1.1 proxy' })).toBe(name);
    expect(found({ [name]: '1.1 proxy', 'x-forwarded-for': '127.0.0.1' })).toBeUndefined();
    expect(found({ [name]: '1.1 proxy', 'x-forwarded-for': '203.0.113.7' })).toBe('x-forwarded-for');
  });

  it('is talked round by no text: whatever it takes for this machine names it', () => {
    verifies('authority.control.forwarded');
    const part = fc.constantFrom(...['for=', '127.0.0.1', '203.0.113.7', '"', ';', ',', '\\', ' ', 'a=']);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const forwarded = parts.join('');
        // What a proxy adds at the end is read, whatever its caller wrote before.
        expect(found({ forwarded: `${forwarded}, for=203.0.113.7` })).toBe('forwarded');
        if (found({ forwarded }) === undefined) expect(forwarded).toContain('127.0.0.1');
      }),
    );
  });
});
