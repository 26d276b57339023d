import { describe, expect, it } from 'vitest';
import { base64, image, stored } from './stored.ts';

describe('a stored value', () => {
  it('keeps 80 MB of images out of its row', () => {
    const images = Array.from({ length: 16 }, (_, i) => image(base64(5_000_000, i)));
    const { value, beside, inRow } = stored({ input: 'look', images });
    expect(value).toEqual({ input: 'look', images });
    expect(beside).toEqual(images.map(() => 5_000_000));
    expect(inRow).toBeLessThan(4_096);
  });
});
