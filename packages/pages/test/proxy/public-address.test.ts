import { describe, expect, it } from 'vitest';
import { toPublicAddress, toPublicRoute } from '../../src/proxy/public-address.ts';
import { toBase } from '../../src/proxy/target.ts';

function base(url: string) {
  const found = toBase(url);
  if (!found) throw new Error(url);
  return found;
}

const desk = base('http://desk.internal:8080/v1?key=secret');
const other = base('http://other.internal');
const routes = [
  toPublicRoute('DELETE', '/gone/{id}', '/tickets/{id}', desk),
  toPublicRoute('GET', '/tickets/{id}', '/tickets/{id}', desk),
  toPublicRoute('POST', '/orders/{id}/pay', '/pay/{id}', desk),
  toPublicRoute('GET', '/tenants/{tenant}/{id}', '/rows/{id}', desk),
  toPublicRoute('GET', '/other/{rest*}', '/{rest*}', other),
];
const told = (address: string) =>
  toPublicAddress(address, 'http://desk.internal:8080/v1/tickets/7?key=secret', routes);

describe('toPublicAddress', () => {
  it.each([
    ['http://desk.internal:8080/v1/tickets/8', '/tickets/8'],
    ['/v1/tickets/8', '/tickets/8'],
    ['8', '/tickets/8'],
    ['?page=2', '/tickets/7?page=2'],
    ['/v1/tickets/8?a=1&key=secret&b=2#c', '/tickets/8?a=1&b=2#c'],
    ['//desk.internal:8080/v1/tickets/8', '/tickets/8'],
    ['/v1/tickets/x:y%3A', '/tickets/x:y%3A'],
    // No GET leads there, but something else does.
    ['/v1/pay/3', '/orders/3/pay'],
    ['http://other.internal/a/b', '/other/a/b'],
  ])('says of %s on an upstream: %s', (address, expected) => {
    expect(told(address)).toBe(expected);
  });

  it.each([
    '/v2/tickets/8',
    '/v1',
    '/v10/tickets/8',
    '/',
    '../../admin',
    // The route needs a value that this address does not have.
    '/v1/rows/3',
    // What no caller may send, no caller is sent.
    '/v1/tickets/%252e%252e',
    'http://',
  ])('says nothing of %s, where no proxy leads', (address) => {
    expect(told(address)).toBeUndefined();
  });

  it.each([
    ['https://desk.internal:8080/v1/tickets/8', undefined],
    ['http://desk.internal/v1/tickets/8', undefined],
    ['https://elsewhere.example/A?b#c', undefined],
    ['mailto:a@example.com', undefined],
    ['//cdn.example/a', 'http://cdn.example/a'],
  ])('leaves %s, which is elsewhere', (address, expected = address) => {
    expect(told(address)).toBe(expected);
  });
});
