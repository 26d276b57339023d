import type { RouteTable } from '@waymark/contract';
import type { EngineParts } from '../engine-parts.ts';
import type { Pool } from './pool.ts';
import type { Roots } from './roots.ts';
import type { StoredRoots } from './stored-roots.ts';

/** Parts of a started runner. */
export interface RunnerParts extends EngineParts {
  readonly roots: Roots;
  readonly stored: StoredRoots;
  readonly pool: Pool;
  readonly table: RouteTable;
  /** This process. */
  readonly holder: string;
}
