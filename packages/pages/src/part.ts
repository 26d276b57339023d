import type { Database, Fault, Route } from '@waymark/contract';

/** One declaration at work. */
export interface Part {
  readonly routes: readonly Route[];
  readonly faults: readonly Fault[];
  /** The template it shows, whatever was named as one; absent where it shows none. */
  readonly template?: string;
  /** Compares it with the database that it reads. */
  prepare?(database: Database): Promise<readonly Fault[]>;
}
