/** A file of numbered SQL, read and looked at. */
export interface Migration {
  /** Its place among all of them, from 0. */
  readonly position: number;
  /** `0003_add_email`: the name of the file without `.sql`. */
  readonly name: string;
  /** As it is shown: relative to the working directory where it lies below it. */
  readonly path: string;
  /** Of its text, with line ends as Unix writes them: a checkout of git may write others. */
  readonly sha256: string;
  /** Of its bytes, as drizzle's own migrator keeps it. */
  readonly rawSha256: string;
  /** `when` of the journal of drizzle-kit, epoch milliseconds; undefined without a journal. */
  readonly journalMs: number | undefined;
  /** Whether foreign keys are enforced statement by statement; with `PRAGMA foreign_keys=OFF` they are checked at the end. */
  readonly enforcesKeys: boolean;
  readonly statements: readonly MigrationStatement[];
}

/** A statement of a migration, with the line where it begins. */
export interface MigrationStatement {
  readonly sql: string;
  readonly line: number;
}
