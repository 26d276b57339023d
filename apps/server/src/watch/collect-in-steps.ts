import { setFlagsFromString } from 'node:v8';

/** More than may come about outside of V8's heap since it collected, 64 MB, before it begins to mark. */
const nudgeBytes = 80 * 1024 * 1024;

/**
 * Lets V8 begin to collect as it does under load: it marks in steps of 4 ms between other work, and stops for 10 to 30 ms at
 * their end (measured with a heap of 60 MB), where `gc()` stops everything for 70 to 150. In such a collection V8 gives the pages
 * back that are free; it keeps them for later in one of its own, for which it has but this name.
 *
 * Nothing is written to what is asked for here, so that the machine has not to give any of it.
 *
 * @returns the bytes that were asked for: whoever builds this would leave out what nobody uses
 */
export function collectInSteps(): number {
  setFlagsFromString('--optimize-for-size');
  try {
    return new ArrayBuffer(nudgeBytes).byteLength;
  } catch {
    // There is no room for so much, so that V8 has collected already.
    return 0;
  } finally {
    setFlagsFromString('--no-optimize-for-size');
  }
}
