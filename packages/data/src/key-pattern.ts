/** Keys that a path can lead to: not nothing at all, `.` or `..`, and no text with control characters. */
export const keyPattern = String.raw`^([^.\x00-\x1f\x7f]|\.[^.\x00-\x1f\x7f]|\.\.[^\x00-\x1f\x7f])[^\x00-\x1f\x7f]*$`;
