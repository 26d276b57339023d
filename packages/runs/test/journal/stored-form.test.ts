import type { Json } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { clone } from '../../src/journal/stored-form.ts';

describe('clone', () => {
  it('is equal to what is stored and shares nothing with it', () => {
    const stored = { list: [1, { deep: 'a' }], none: null, is: true };
    const given = clone(stored) as typeof stored;
    expect(given).toEqual(stored);
    (given.list[1] as { deep: string }).deep = 'b';
    given.list.push(2);
    expect(stored).toEqual({ list: [1, { deep: 'a' }], none: null, is: true });
  });

  it('keeps a member that is called like the prototype, and changes none', () => {
    const stored = JSON.parse('{"__proto__":{"polluted":[1]},"a":{"__proto__":null}}') as Json;
    const given = clone(stored);
    expect(JSON.stringify(given)).toBe(JSON.stringify(stored));
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });
});
