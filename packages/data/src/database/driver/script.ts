/** Statements without values that one transaction holds. */
export interface Script {
  readonly statements: readonly string[];
  /**
   * Whether foreign keys are enforced statement by statement; else they are when all of it is done: a table that others refer
   * to can be made anew without a row of theirs being touched.
   */
  readonly enforcesKeys: boolean;
  /** How long to wait for whoever writes. */
  readonly waitMs: number;
}

/** A script that was undone, with what SQLite said. It holds SQL of a file, and no values of callers. */
export class ScriptFault extends Error {
  override readonly name = 'ScriptFault';
  /** The statement that failed, from 0; as many as there are where it was the check at the end, or the commit. */
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.index = index;
  }
}

/** Finds rows that refer to none, for a server, where nobody can look at them in between: it fails where there are some. */
export const refuseBrokenKeys =
  'select case when exists (select 1 from pragma_foreign_key_check) then abs(-9223372036854775807 - 1) end';

/** What `refuseBrokenKeys` and its like say to people. */
export function brokenKeys(rows: string): Error {
  return new Error(`FOREIGN KEY constraint failed: ${rows} that are not there`);
}
