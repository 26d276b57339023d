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

/** Those that a camera can do. @param most as it says itself; a browser that does not say gets all */
export function toSizes(most: Partial<PictureSize>): readonly PictureSize[] {
  // A phone held upright tells its sides the other way round.
  const longest = Math.max(most.width ?? 0, most.height ?? 0) || Number.POSITIVE_INFINITY;
  const fitting = pictureSizes.filter(({ width }) => width <= longest);
  return fitting.length > 0 ? fitting : pictureSizes.slice(0, 1);
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
