import { describe, expect, it } from 'vitest';
import { descriptorTroubles, watchDescriptors } from '../../src/watch/descriptors.ts';

/** Troubles of a process that can open so many more, and how many it was left with. */
function asked(free: number, code = 'EMFILE') {
  let left = free;
  const open = (): number => {
    if (left === 0) throw Object.assign(new Error('open'), { code });
    return left--;
  };
  const codes = descriptorTroubles(open, () => left++).map((trouble) => trouble.code);
  return { codes, left };
}

describe('descriptorTroubles', () => {
  it.each([
    [0, ['descriptors-exhausted']],
    [7, ['descriptors-exhausted']],
    [8, []],
    [9, []],
  ])('with %i descriptors left says %j, and keeps none', (free, codes) => {
    expect(asked(free)).toEqual({ codes, left: free });
  });

  it('takes it for the same when the machine has none left', () => {
    expect(asked(3, 'ENFILE').codes).toEqual(['descriptors-exhausted']);
  });

  it('says nothing where it cannot be asked', () => {
    expect(asked(0, 'ENOENT').codes).toEqual([]);
  });

  it('says nothing of a process that is well', () => {
    expect(descriptorTroubles()).toEqual([]);
  });
});

it('looks once in a tenth of a second, however often health is asked', () => {
  let [nowMs, looks] = [0, 0];
  const trouble = { code: 'descriptors-exhausted', message: '' };
  const find = () => (++looks === 1 ? [trouble] : []);
  const ask = watchDescriptors(find, () => nowMs);
  for (nowMs = 0; nowMs < 100; nowMs++) expect(ask()).toEqual([trouble]);
  expect(looks).toBe(1);
  expect(ask()).toEqual([]);
  expect(looks).toBe(2);
});
