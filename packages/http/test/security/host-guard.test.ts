import { describe, expect, it } from 'vitest';
import { createHostRule, hostName, isHostForm } from '../../src/security/host-guard.ts';

describe('hostName', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['example.com:8000', 'example.com'],
    ['example.com.', 'example.com'],
    ['example.com.:80', 'example.com'],
    ['[::1]', '::1'],
    ['[::1]:8000', '::1'],
    ['127.0.0.1:80', '127.0.0.1'],
    ['', ''],
  ])('of %s is %s', (host, name) => {
    expect(hostName(host)).toBe(name);
  });
});

describe('isHostForm', () => {
  it.each([
    'a',
    'a.example',
    'a_b.example:80',
    'localhost.',
    '127.0.0.1:8000',
    '[::1]',
    '[2001:db8::1]:443',
    'a:',
    '',
  ])('knows "%s" as one', (host) => {
    expect(isHostForm(host)).toBe(true);
  });

  it.each([
    'a b',
    'a, b',
    'a,b',
    'u@a',
    'a/b',
    'a:80:80',
    'a:http',
    'a:123456',
    '::1',
    '[::1',
    '[x]',
    'a?b',
    'a#b',
    'ü',
  ])('knows "%s" as none', (host) => {
    expect(isHostForm(host)).toBe(false);
  });
});

describe('the rule for hosts', () => {
  const isOurs = createHostRule(['app.example.com', '192.0.2.7', 'Other.Example']);

  it.each([
    'localhost',
    'LOCALHOST:3000',
    'localhost.',
    '127.0.0.1',
    '127.8.9.1:80',
    '[::1]:8000',
    'app.example.com',
    'APP.example.com:443',
    'other.example',
    '192.0.2.7:1',
    '10.1.1.1:8000',
  ])('takes %s', (host) => {
    expect(isOurs(host, '10.1.1.1')).toBe(true);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.evil.example',
    'evil.localhost',
    'xapp.example.com',
    'app.example.com.evil.example',
    'example.com',
    '10.1.1.2',
    '[::2]',
    '0.0.0.0',
    '2130706433',
    '127.1',
    '',
    'localhost@evil.example',
  ])('refuses %s', (host) => {
    expect(isOurs(host, '10.1.1.1')).toBe(false);
  });

  it('knows the address that was connected to in both of its spellings', () => {
    expect(isOurs('10.1.1.1', '::ffff:10.1.1.1')).toBe(true);
    expect(isOurs('[2001:db8::1]:80', '2001:db8::1')).toBe(true);
    expect(isOurs('printer', 'printer')).toBe(false);
    expect(isOurs('10.1.1.1', undefined)).toBe(false);
  });

  it('has nothing to say where there is no Host, as in HTTP/1.0', () => {
    expect(isOurs(undefined, '10.1.1.1')).toBe(true);
  });
});
