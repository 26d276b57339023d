import { inflateSync } from 'node:zlib';
import { height, width } from './moving-picture.ts';

/** Where IDAT begins in a picture of ours, and what surrounds its data: signature, IHDR, then length and name; a sum behind. */
const dataAt = 8 + 25 + 8;

/** What is brighter than any wall. */
const bright = 200;

/**
 * Finds the ball in a picture that `movingPicture` drew: all that the stand-in for a model can see.
 *
 * @returns in words: `on the left, near the floor`; undefined for any other picture
 */
export function whereTheBallIs(png: Buffer): string | undefined {
  try {
    const length = png.readUInt32BE(dataAt - 8);
    const lines = inflateSync(png.subarray(dataAt, dataAt + length));
    if (lines.length !== height * (width + 1)) return undefined;
    let [count, sumX, sumY] = [0, 0, 0];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        if ((lines[y * (width + 1) + x + 1] ?? 0) < bright) continue;
        count++;
        sumX += x;
        sumY += y;
      }
    if (count === 0) return undefined;
    const across = ['on the left', 'in the middle', 'on the right'][Math.floor((3 * sumX) / count / width)];
    const up = ['under the ceiling', 'half way up', 'near the floor'][
      Math.floor((3 * sumY) / count / height)
    ];
    return `${across}, ${up}`;
  } catch {
    return undefined;
  }
}
