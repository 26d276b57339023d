import { Type } from '@waymark/contract';
import { describe, expect, it } from 'vitest';
import { compileSchema } from '../src/input/validator.ts';

const closed = (properties: Readonly<Record<string, object>>) =>
  Type.Object(properties as Record<string, ReturnType<typeof Type.Unknown>>, { additionalProperties: false });

/** What is said of a value, and how long that took. */
function explain(schema: object, value: unknown): { readonly said: readonly string[]; readonly ms: number } {
  const validator = compileSchema(schema);
  const before = process.cpuUsage();
  expect(validator.check(value)).toBe(false);
  const said = validator.errors(value).map(({ path, message }) => `${path} ${message}`);
  return { said, ms: process.cpuUsage(before).user / 1_000 };
}

describe('explaining what is wrong', () => {
  it.each([
    ['a list', closed({ a: Type.Array(Type.String()) }), { a: Array.from({ length: 2_000_000 }, () => 1) }],
    [
      'lists in lists',
      closed({ a: Type.Array(Type.Array(Type.String())) }),
      { a: Array.from({ length: 2_000 }, () => Array.from({ length: 1_000 }, () => 1)) },
    ],
    [
      'a choice in a list',
      closed({ a: Type.Array(Type.Union([Type.String(), Type.Object({ b: Type.String() })])) }),
      { a: Array.from({ length: 500_000 }, () => ({})) },
    ],
    [
      'unknown members',
      closed({ a: Type.Optional(Type.String()) }),
      Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, 1])),
    ],
  ])('costs little, however large the value is: %s', (_, schema, value) => {
    const { said, ms } = explain(schema, value);
    expect(said.length).toBeGreaterThan(0);
    expect(said.length).toBeLessThanOrEqual(30);
    // Unbounded it took six seconds and more; checking 300,000 names alone takes a part of one on a busy machine.
    expect(ms).toBeLessThan(3_000);
  });

  it('misses nothing in values of ordinary size', () => {
    const lines = Array.from({ length: 4_000 }, (_, i) => (i === 3_999 ? 'x' : i));
    expect(explain(closed({ lines: Type.Array(Type.Integer()) }), { lines }).said).toEqual([
      '/lines/3999 must be integer',
    ]);
  });

  it.each([
    ['one is asked for', {}, ['x'], 'must contain at least 1 valid item'],
    ['one is asked for in so many words', { minContains: 1 }, [], 'must contain at least 1 valid item'],
    [
      'there are too few',
      { minContains: 2, maxContains: 2 },
      [1, 'x'],
      'must contain at least 2 valid items',
    ],
    ['there are none', { minContains: 2, maxContains: 2 }, ['x'], 'must contain at least 2 valid items'],
    [
      'there are too many',
      { minContains: 2, maxContains: 2 },
      [1, 2, 3],
      'must contain at most 2 valid items',
    ],
    ['none is needed', { minContains: 0, maxContains: 1 }, [1, 2], 'must contain at most 1 valid item'],
  ])('says how many items a list may contain: %s', (_, bounds, a, message) => {
    const list = { type: 'array', contains: { type: 'integer' }, ...bounds };
    expect(explain(closed({ a: list }), { a }).said).toEqual([`/a ${message}`]);
  });

  it('says it for each list, and for each kind of item, once', () => {
    const two = { contains: { const: 2 }, minContains: 2, items: { type: 'integer' } };
    const both = { allOf: [{ contains: { const: 1 } }, two] };
    expect(explain(closed({ a: both, b: both }), { a: ['x'], b: [1, 2] }).said).toEqual([
      '/a must contain at least 1 valid item',
      '/a/0 must be integer',
      '/a must contain at least 2 valid items',
      '/b must contain at least 2 valid items',
    ]);
  });

  it('says that something is wrong when the fault lies further behind', () => {
    const lines = Array.from({ length: 6_000 }, (_, i) => (i === 5_999 ? 'x' : i));
    expect(explain(closed({ lines: Type.Array(Type.Integer()) }), { lines }).said).toEqual([' is not valid']);
  });

  it('never takes a declared member for missing because others came first', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 1]));
    const { said } = explain(closed({ alphabet: Type.String(), numerals: Type.Array(Type.Integer()) }), {
      ...many,
      alphabet: 'here',
      numerals: [1],
    });
    expect(said).toHaveLength(8);
    expect(said.every((text) => text.endsWith('is not known'))).toBe(true);
  });

  it('never takes a member for missing where the looking ends', () => {
    const line = Type.Object({ a: Type.String(), b: Type.Object({ c: Type.String() }), d: Type.String() });
    for (let length = 1_240; length < 1_260; length++) {
      const lines = Array.from({ length }, () => ({ a: 'a', b: { c: 'c' }, d: 'd' }));
      expect(
        explain(closed({ wrong: Type.Integer(), lines: Type.Array(line) }), { lines, wrong: 'x' }).said,
      ).toEqual(['/wrong must be integer']);
    }
  });

  it('reads a member called __proto__ as any other', () => {
    const value = JSON.parse('{"a":"x","__proto__":{"polluted":1}}') as unknown;
    expect(explain(closed({ a: Type.String() }), value).said).toEqual(['/__proto__ is not known']);
    expect({}).not.toHaveProperty('polluted');
  });

  it('ends for values that hold themselves', () => {
    const value: Record<string, unknown> = { n: 'x' };
    value['a'] = value;
    value['b'] = value;
    expect(
      explain(Type.Object({ n: Type.Integer(), a: Type.Unknown(), b: Type.Unknown() }), value).said,
    ).toEqual(['/n must be integer']);
  });
});

describe('a name that every object inherits', () => {
  const inner = { type: 'object', required: ['toString'] };

  it.each<[string, object, unknown, unknown]>([
    ['required', inner, {}, { toString: 1 }],
    ['required further in', { type: 'object', properties: { v: inner } }, { v: {} }, { v: { toString: 1 } }],
    ['required in a list', { type: 'array', items: inner }, [{ toString: 1 }, {}], [{ toString: 1 }]],
    [
      'required beside another',
      { type: 'object', dependentRequired: { a: ['valueOf'] } },
      { a: 1 },
      { a: 1, valueOf: 2 },
    ],
  ])('is not there because of that: %s', (_, schema, without, sent) => {
    const validator = compileSchema(schema);
    expect([validator.check(without), validator.check(sent)]).toEqual([false, true]);
    expect(validator.errors(without)).toHaveLength(1);
  });
});

describe('what a type is refined to', () => {
  const refined = Type.Refine(
    Type.String(),
    (text) => text === 'x',
    () => 'must be x',
  );

  it.each<[string, object, unknown, unknown]>([
    ['alone', refined, 'x', 'y'],
    ['as a member', closed({ a: refined }), { a: 'x' }, { a: 'y' }],
    [
      'beside what is held to more',
      closed({ a: refined, n: Type.Integer() }),
      { a: 'x', n: 1 },
      { a: 'y', n: 1 },
    ],
    [
      'beside a record',
      closed({ a: refined, r: Type.Record(Type.String(), Type.String()) }),
      { a: 'x', r: {} },
      { a: 'y', r: {} },
    ],
    [
      'a record',
      Type.Refine(
        Type.Record(Type.String(), Type.String()),
        (record) => 'x' in record,
        () => 'must be x',
      ),
      { x: '' },
      { y: '' },
    ],
    [
      'an integer',
      Type.Refine(
        Type.Integer(),
        (value) => value % 2 === 1,
        () => 'must be x',
      ),
      1,
      2,
    ],
  ])('is asked for the first time as the thousandth: %s', (_, schema, right, wrong) => {
    const validator = compileSchema(schema);
    for (let times = 0; times < 1_002; times++)
      expect([validator.check(right), validator.check(wrong)]).toEqual([true, false]);
    expect(validator.errors(wrong)).toMatchObject([{ message: 'must be x' }]);
  });
});
