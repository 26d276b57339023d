/**
 * Names the requirements a test proves, by their ids in `e2e/requirements.ts`. It does nothing when it runs: a coverage
 * test reads the calls from the sources, and fails on an id that is unknown or that no test names.
 */
export function verifies(..._ids: readonly string[]): void {}
