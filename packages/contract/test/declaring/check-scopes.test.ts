import { describe, expect, it } from 'vitest';
import { checkScopes } from '../../src/declaring/check-scopes.ts';

describe('checkScopes', () => {
  it.each([[[]], [['a']], [['svc:admin', 'tickets:read', '!~']]])('takes %j', (scopes) => {
    expect(checkScopes(scopes)).toEqual([]);
  });

  it.each([
    ['tickets:read', 'write ["tickets:read"]'],
    ['a b, c', 'write ["a","b","c"]'],
    [['a b'], 'write ["a","b"]'],
    [[['a'], 'b'], 'write ["a","b"]'],
    [['\u00e9'], 'write ["tickets:read"]'],
    [[''], 'write ["tickets:read"]'],
    [null, 'write ["tickets:read"]'],
    [[5], 'write ["tickets:read"]'],
  ])('refuses %j and says what to write', (scopes, fix) => {
    expect(checkScopes(scopes)).toEqual([
      { code: 'scope-form', rule: 'scopes are not a list of words without spaces', fix },
    ]);
  });
});
