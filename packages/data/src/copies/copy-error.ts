/** A copy that was not made, or not put in place: its message is for whoever asked for it. Nothing was changed. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}
