/** The revisions of MCP that open with `initialize`, newest first. */
export const initializeRevisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** A revision that opens with `initialize`. */
export type InitializeRevision = (typeof initializeRevisions)[number];

/** The revision that opens with nothing: every request says which revision it follows and what its client can do. */
export const discoverRevision = '2026-07-28';

/** Every revision that is served, newest first. */
export const revisions = [discoverRevision, ...initializeRevisions] as const;

/** Says whether a version is a revision that opens with `initialize`. */
export function isInitializeRevision(version: unknown): version is InitializeRevision {
  return (initializeRevisions as readonly unknown[]).includes(version);
}
