import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { NameSet, toCamelCase, toPascalCase } from '../src/names.ts';

describe('toCamelCase', () => {
  it.each([
    ['get_tickets_by_id_summary', 'getTicketsByIdSummary'],
    ['door-snapshot', 'doorSnapshot'],
    ['doorSnapshot', 'doorSnapshot'],
    ['Guard', 'guard'],
    ['get_v2_users', 'getV2Users'],
    ['3d_view', '_3dView'],
    ['__proto__', 'proto'],
    ['_', '_'],
  ])('turns %s into %s', (name, expected) => {
    verifies('name.client-method');
    expect(toCamelCase(name)).toBe(expected);
  });
});

describe('toPascalCase', () => {
  it('begins with a letter, or an underscore', () => {
    expect(toPascalCase('get_tickets')).toBe('GetTickets');
    expect(toPascalCase('200')).toBe('_200');
  });
});

describe('NameSet', () => {
  it('numbers names that are taken', () => {
    const names = NameSet.forTypes();
    expect([names.take('Ticket'), names.take('Ticket'), names.take('Ticket'), names.take('Client')]).toEqual([
      'Ticket',
      'Ticket2',
      'Ticket3',
      'Client2',
    ]);
  });

  it('gives a taken method name a suffix that depends on the route alone', () => {
    const names = NameSet.forMethods();
    names.takeStable('getAB', 'get_a_b');
    const suffixed = names.takeStable('getAB', 'get_a-b');
    expect(suffixed).toMatch(/^getAB_[0-9a-z]{6}$/);
    const others = NameSet.forMethods();
    others.takeStable('getAB', 'get-a_b');
    expect(others.takeStable('getAB', 'get_a-b')).toBe(suffixed);
  });

  it('keeps methods away from names that would break the client', () => {
    for (const name of ['then', 'control', 'constructor', 'toString', 'agents', 'devices'])
      expect(NameSet.forMethods().takeStable(name, name)).not.toBe(name);
  });
});
