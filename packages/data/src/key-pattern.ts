/** Keys that a path can lead to: not nothing at all, `.` or `..`, and no text with control characters. */
export const keyPattern = String.raw`^([^.\x00-\x1f\x7f]|\.[^.\x00-\x1f\x7f]|\.\.[^\x00-\x1f\x7f])[^\x00-\x1f\x7f]*$`;

/** The longest key that is taken, in characters: of four bytes each they are 3 KiB of a path, in which 16 KiB have to do for all headers. */
export const maxKeyLength = 256;
