import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { from, placeOf } from '../../src/route/place.ts';

describe('from', () => {
  it('gives a schema a place, in a copy', () => {
    const schema = Type.String({ default: 'short' });
    const moved = from('query', schema);
    expect(placeOf(moved)).toBe('query');
    expect(placeOf(schema)).toBeUndefined();
  });

  it('leaves no trace in the JSON of the schema', () => {
    const schema = Type.Optional(Type.Object({ a: Type.Integer() }));
    expect(JSON.stringify(from('content', schema))).toBe(JSON.stringify(schema));
  });

  it('keeps a schema optional', () => {
    expect('~optional' in from('query', Type.Optional(Type.String()))).toBe(true);
  });

  it('moves a schema again', () => {
    expect(placeOf(from('query', from('body', Type.String())))).toBe('query');
  });

  it('moves a frozen schema', () => {
    expect(placeOf(from('query', Object.freeze({ type: 'string' })))).toBe('query');
  });
});
