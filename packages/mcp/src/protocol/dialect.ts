import type { InitializeRevision } from './revisions.ts';

/** What the client of a message understands. Lists are kept for each dialect, so there are few. */
export interface Dialect {
  readonly name: string;
  /** `outputSchema` and `_meta` of tools, `structuredContent` of results: since 2025-06-18. */
  readonly structured: boolean;
  /** Content items of type `resource_link`: since 2025-06-18. */
  readonly links: boolean;
  /** Lists say how long and for whom they may be kept: since 2026-07-28. */
  readonly cacheable: boolean;
}

const first: Dialect = { name: 'first', structured: false, links: false, cacheable: false };
const structured: Dialect = { name: 'structured', structured: true, links: true, cacheable: false };

/** A client that does not name its revision may be of any: members it does not know do no harm, an item may break it. */
const unnamed: Dialect = { name: 'unnamed', structured: true, links: false, cacheable: false };

/** The dialect of 2026-07-28. */
export const discoverDialect: Dialect = {
  name: 'discover',
  structured: true,
  links: true,
  cacheable: true,
};

/** The dialect of a client that opened with `initialize`. @param revision of its header, if it sent one */
export function initializeDialect(revision: InitializeRevision | undefined): Dialect {
  if (revision === undefined) return unnamed;
  return revision === '2025-03-26' ? first : structured;
}
