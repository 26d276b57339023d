import { describe, expect, it } from 'vitest';
import { descriptorTroubles } from '../../src/watch/descriptors.ts';

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
