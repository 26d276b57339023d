import { describe, expect, it } from 'vitest';
import { toMembers, toNumberText } from '../../browser/view/members.ts';

describe('toMembers', () => {
  it('names what is nested by its way', () => {
    expect(toMembers({ celsius: 21.5, battery: { level: 0.5, charging: false }, label: 'north' })).toEqual([
      { name: 'celsius', text: '21.5', number: 21.5 },
      { name: 'battery.level', text: '0.5', number: 0.5 },
      { name: 'battery.charging', text: 'false' },
      { name: 'label', text: 'north' },
    ]);
  });

  it('takes whatever a device sends, and cuts it', () => {
    const deep = { a: { b: { c: { d: { e: 1 } } } } };
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`n${i}`, i]));
    expect(toMembers(deep)).toEqual([{ name: 'a.b.c.d', text: '{"e":1}' }]);
    expect(toMembers(wide)).toHaveLength(40);
    expect(toMembers({ list: Array.from({ length: 10_000 }, () => 0) })[0]?.text).toBe('10000 items');
    const [{ name, text } = { name: '', text: '' }] = toMembers({
      ['n'.repeat(10_000)]: '😀'.repeat(10_000),
    });
    expect([name.length, text.length <= 160, text.isWellFormed()]).toEqual([48, true, true]);
    for (const odd of [null, undefined, '', [], {}, 'NaN', 7])
      expect(toMembers(odd).length).toBeLessThanOrEqual(1);
  });

  it('draws numbers alone', () => {
    expect(toMembers({ a: 'NaN', b: 1e308, c: '1', d: null }).map(({ number }) => number)).toEqual([
      undefined,
      1e308,
      undefined,
      undefined,
    ]);
  });

  it('writes numbers as short as they can be read', () => {
    expect([0.1 + 0.2, 1e308, -0, 123_456_789].map(toNumberText)).toEqual([
      '0.3',
      '1e+308',
      '0',
      '123457000',
    ]);
  });
});
