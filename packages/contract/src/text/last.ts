/** What a work in pieces comes to, all of them at once. */
export function last<T>(pieces: Generator<void, T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
  }
}
