/** The revisions of MCP that are served, newest first. All of them open with `initialize`. */
export const revisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** A revision that is served. */
export type Revision = (typeof revisions)[number];

/** Says whether a revision is served. */
export function isRevision(version: unknown): version is Revision {
  return (revisions as readonly unknown[]).includes(version);
}
