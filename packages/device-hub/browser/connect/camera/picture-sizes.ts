/** What is asked of a camera, in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

export const pictureSizes: readonly PictureSize[] = [
  { width: 320, height: 240 },
  { width: 640, height: 480 },
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
];

/** Those that a camera can do. @param longestSide of its largest picture; all for 0 */
export function toSizes(longestSide: number): readonly PictureSize[] {
  return pictureSizes.filter(({ width }, i) => longestSide === 0 || width <= longestSide || i === 0);
}

/** What is sent of a picture that the camera gave: never more than was chosen, never larger than it is. */
export function toSentSize(given: PictureSize, chosen: PictureSize, scale: number): PictureSize {
  const [long, short] = [Math.max(chosen.width, chosen.height), Math.min(chosen.width, chosen.height)];
  const isUpright = given.height > given.width;
  const fit = Math.min(
    1,
    (isUpright ? short : long) / given.width,
    (isUpright ? long : short) / given.height,
  );
  return {
    width: Math.max(1, Math.round(given.width * fit * scale)),
    height: Math.max(1, Math.round(given.height * fit * scale)),
  };
}
