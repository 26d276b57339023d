import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Method } from '../../src/route/route.ts';
import { maxNameLength, namePattern, routeName, suffixedName } from '../../src/route/route-name.ts';
import { verifies } from '../../src/testing/index.ts';

describe('routeName', () => {
  it('names the example of the specification as the specification does', () => {
    verifies('tool.name.example', 'tool.name.path-parameter', 'tool.name.from-route');
    expect(routeName('GET', '/tickets/{id}/summary')).toBe('get_tickets_by_id_summary');
  });

  it.each<[Method, string]>([
    ['GET', 'get_tickets'],
    ['POST', 'create_tickets'],
    ['PUT', 'replace_tickets'],
    ['PATCH', 'update_tickets'],
    ['DELETE', 'delete_tickets'],
    // No such method can be declared; the name in the problem should still be readable.
    ['PURGE' as Method, 'purge_tickets'],
  ])('begins with the verb of %s', (method, name) => {
    verifies('name.verbs');
    expect(routeName(method, '/tickets')).toBe(name);
  });

  it('reads the path / as root', () => {
    verifies('name.root');
    expect(routeName('GET', '/')).toBe('get_root');
    expect(routeName('POST', '/')).toBe('create_root');
  });

  it.each([
    ['/a/{x}/{y}', 'get_a_by_x_by_y'],
    ['/files/{rest*}', 'get_files_by_rest'],
    ['/a-b/c.d', 'get_a_b_c_d'],
    ['/a_b', 'get_a_b'],
    ['/caf\u00e9', 'get_caf_'],
    ['/a/', 'get_a'],
  ])('writes the segments of %s after the verb, with _ for other characters', (path, name) => {
    verifies('name.segments');
    expect(routeName('GET', path)).toBe(name);
  });

  it.each([63, 64])('keeps a name of %i characters whole', (length) => {
    const name = `get_${'x'.repeat(length - 4)}`;
    expect(routeName('GET', `/${'x'.repeat(length - 4)}`)).toBe(name);
  });

  it('cuts a name of 65 characters and ends it in six characters of hash', () => {
    verifies('name.cut');
    const name = routeName('GET', `/${'x'.repeat(61)}`);
    expect(name).toMatch(/^get_x{53}_[0-9a-z]{6}$/);
    expect(name).toHaveLength(maxNameLength);
  });

  it('cuts to the same name in every version: stored calls and clients hold it', () => {
    verifies('name.cut');
    expect(routeName('GET', `/${'x'.repeat(61)}`)).toBe(`get_${'x'.repeat(53)}_6mpev4`);
  });

  it('tells long names apart that begin alike', () => {
    const long = `/${'x'.repeat(80)}`;
    expect(routeName('GET', `${long}a`)).not.toBe(routeName('GET', `${long}b`));
    expect(routeName('GET', `${long}/{a}`)).not.toBe(routeName('GET', `${long}/{b}`));
  });

  it('is always a name that model APIs take', () => {
    verifies('name.alphabet');
    const methods = fc.constantFrom<Method>('GET', 'POST', 'PUT', 'PATCH', 'DELETE');
    fc.assert(
      fc.property(methods, fc.string({ unit: 'grapheme', maxLength: 200 }), (method, path) => {
        expect(routeName(method, `/${path}`)).toMatch(namePattern);
      }),
    );
  });
});

describe('suffixedName', () => {
  it('adds six characters that depend on the key alone', () => {
    expect(suffixedName('get_a_b', 'GET /a-b')).toMatch(/^get_a_b_[0-9a-z]{6}$/);
    expect(suffixedName('get_a_b', 'GET /a-b')).toBe(suffixedName('get_a_b', 'GET /a-b'));
    expect(suffixedName('get_a_b', 'GET /a-b')).not.toBe(suffixedName('get_a_b', 'GET /a.b'));
  });

  it('stays within the longest name', () => {
    expect(suffixedName('x'.repeat(64), 'GET /x')).toHaveLength(64);
    expect(suffixedName('x'.repeat(57), 'GET /x')).toHaveLength(64);
    expect(suffixedName('x'.repeat(56), 'GET /x')).toHaveLength(63);
  });
});
