/** The longest that a timer of Node takes. */
const longestMs = 2 ** 31 - 1;

/** Settles as the work does, or rejects with `late` when it has not after so many milliseconds. */
export function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.min(ms, longestMs));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
