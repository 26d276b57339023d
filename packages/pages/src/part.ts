import type { Route } from '@waymark/contract';
import type { Fault, Finding } from '@waymark/contract/declaring';
import type { Database } from '@waymark/contract/engine';

/** One declaration at work. */
export interface Part {
  readonly routes: readonly Route[];
  readonly faults: readonly Fault[];
  /** What it lets callers do that it should not; absent where that is nothing. */
  readonly findings?: readonly Finding[];
  /** The template it shows, whatever was named as one; absent where it shows none. */
  readonly template?: string;
  /** Compares it with the database that it reads. */
  prepare?(database: Database): Promise<readonly Fault[]>;
}
