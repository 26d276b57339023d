/** Does all pieces of a work at once, as nothing that serves does. */
export function toEnd<T>(pieces: Iterator<void, T>): T {
  for (;;) {
    const piece = pieces.next();
    if (piece.done) return piece.value;
  }
}
