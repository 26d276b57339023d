import { describe, expect, it } from 'vitest';
import { Viewers } from '../../src/device/viewers.ts';

describe('Viewers', () => {
  it('has room again for a device and a principal when one leaves', () => {
    const viewers = new Viewers({ perDevice: 5, perPrincipal: 1 });
    const leave = viewers.enter('door', 'ada');
    expect(viewers.refusal('yard', 'ada')).toMatchObject({ status: 429 });
    leave();
    expect(viewers.refusal('yard', 'ada')).toBeUndefined();
    expect(viewers.of('door')).toBe(0);
  });

  it('counts nobody out twice', () => {
    const viewers = new Viewers({ perDevice: 1, perPrincipal: 5 });
    const leave = viewers.enter('door', 'ada');
    leave();
    viewers.enter('door', 'bob');
    leave();
    expect(viewers.of('door')).toBe(1);
    expect(viewers.refusal('door', 'ada')).toMatchObject({ status: 429 });
  });
});
