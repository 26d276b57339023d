import { channel } from 'node:diagnostics_channel';

/** What tests say they prove, for whoever counts it while they run. */
const verified = channel('waymark:verifies');

/**
 * Names the requirements a test proves, by their ids in `e2e/requirements.ts`. They are proved once the test has passed: one
 * that is skipped or fails proves nothing.
 *
 * It does nothing by itself: ids are published on the diagnostics channel `waymark:verifies`, for `e2e/proofs` to note.
 */
export function verifies(...ids: readonly string[]): void {
  verified.publish(ids);
}
