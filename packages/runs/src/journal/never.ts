/**
 * A promise for whoever waits in a frame that was dropped: it never settles, so no `catch` and no `finally` of theirs
 * runs. A new one each time: handlers of one that is shared would pile up.
 */
export function never<T>(): Promise<T> {
  return new Promise<T>(() => {});
}
