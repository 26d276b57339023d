import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSentSize, toSizes } from '../../../browser/connect/camera/picture-sizes.ts';

const hd = { width: 1280, height: 720 };

describe('toSizes', () => {
  it('offers what the camera can do', () => {
    expect(toSizes(1280).map(({ width }) => width)).toEqual([320, 640, 1280]);
  });
  it('offers all where the browser does not say, and the smallest to a camera that can do less', () => {
    expect(toSizes(0)).toHaveLength(4);
    expect(toSizes(160).map(({ width }) => width)).toEqual([320]);
  });
});

describe('toSentSize', () => {
  it.each([
    ['as it is', { width: 1280, height: 720 }, 1, { width: 1280, height: 720 }],
    ['never larger than it is', { width: 640, height: 480 }, 1, { width: 640, height: 480 }],
    ['within what was chosen', { width: 1920, height: 1080 }, 1, { width: 1280, height: 720 }],
    ['of a phone held upright', { width: 1080, height: 1920 }, 1, { width: 720, height: 1280 }],
    ['smaller for a hub that wants that', { width: 1280, height: 720 }, 0.5, { width: 640, height: 360 }],
  ])('is %s', (_, given, scale, sent) => {
    expect(toSentSize(given, hd, scale)).toEqual(sent);
  });

  it('keeps the form of the picture', () => {
    const side = fc.integer({ min: 100, max: 8_000 });
    const property = fc.property(side, side, (width, height) => {
      const sent = toSentSize({ width, height }, hd, 1);
      expect(Math.abs(sent.width - (sent.height * width) / height)).toBeLessThanOrEqual(1 + width / height);
      expect(Math.max(sent.width, sent.height)).toBeLessThanOrEqual(1280);
    });
    fc.assert(property);
  });
});
