import type { Problem } from '@waymark/contract';
import { type Applied, type AppliedMigration, acceptSql } from './applied-migrations.ts';
import type { Migration } from './migration.ts';
import { migrationProblem } from './migration-rules.ts';

/** What is left to do, or what keeps it from being done. */
export interface MigrationPlan {
  readonly applied: readonly AppliedMigration[];
  /** In order. */
  readonly pending: readonly PendingMigration[];
  readonly problems: readonly Problem[];
}

/** A migration that was not applied by us; `adopts`: drizzle's own migrator has done it, and it is only remembered. */
export interface PendingMigration {
  readonly migration: Migration;
  readonly adopts: boolean;
}

/** Compares the files of a folder with what a database remembers. */
export function planMigrations(migrations: readonly Migration[], found: Applied): MigrationPlan {
  const { migrations: applied, drizzle } = found;
  const left = migrations.filter(({ name }) => !applied.some((one) => one.name === name));
  const problems = [
    ...applied.flatMap((one) => checkApplied(one, migrations, applied)),
    ...checkOrder(left, migrations, applied),
    ...(applied.length === 0 ? checkDrizzle(left, drizzle) : []),
  ];
  const pending = left.map((migration) => ({
    migration,
    adopts: migration.journalMs !== undefined && (drizzle?.has(migration.journalMs) ?? false),
  }));
  return { applied, pending, problems };
}

function checkApplied(
  { name, sha256 }: AppliedMigration,
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Problem[] {
  const file = migrations.find((one) => one.name === name);
  if (file)
    return file.sha256 === sha256
      ? []
      : [
          migrationProblem(
            'migration-changed',
            `${file.path}:1`,
            'it was changed after it was applied',
            `put it back as it was, and write a new migration; where the database is right, run: ${acceptSql(file)}`,
          ),
        ];
  const renamed = migrations.find(
    (one) => one.sha256 === sha256 && !applied.some((other) => other.name === one.name),
  );
  if (renamed)
    return [
      migrationProblem(
        'migration-missing',
        `${renamed.path}:1`,
        `it was applied as ${name}, and has another name now`,
        `name it ${name}.sql again`,
      ),
    ];
  return [
    migrationProblem(
      'migration-missing',
      undefined,
      `${name} was applied to this database, and there is no ${name}.sql`,
      'put the file back, or start the release that has it',
    ),
  ];
}

/** What was applied is the beginning of the list: anything between would have been applied to another schema elsewhere. */
function checkOrder(
  left: readonly Migration[],
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Problem[] {
  const last = migrations.findLast(({ name }) => applied.some((one) => one.name === name));
  if (!last) return [];
  return left
    .filter(({ position }) => position < last.position)
    .map(({ path }) =>
      migrationProblem(
        'migration-order',
        `${path}:1`,
        `it stands before ${last.name}, which was applied already`,
        `give it a number after ${last.name}; drizzle-kit: drop it, and generate it again`,
      ),
    );
}

/** What drizzle's own migrator applied has to be among the files, as it was. */
function checkDrizzle(left: readonly Migration[], drizzle: Applied['drizzle']): readonly Problem[] {
  if (!drizzle || !left.some(({ journalMs }) => journalMs !== undefined)) return [];
  const lost = [...drizzle.keys()].filter((when) => !left.some(({ journalMs }) => journalMs === when));
  const last = left.findLast(({ journalMs = Number.NaN }) => drizzle.has(journalMs));
  return [
    ...lost.map((when) =>
      migrationProblem(
        'migration-missing',
        undefined,
        `drizzle's migrator has applied one of ${new Date(when).toISOString()}, which is not in the journal`,
        'put it back into the journal, with its file',
      ),
    ),
    ...left.flatMap(({ path, journalMs, sha256, rawSha256, position }) => {
      const hash = journalMs === undefined ? undefined : drizzle.get(journalMs);
      if (hash === undefined)
        return last && position < last.position
          ? [
              migrationProblem(
                'migration-order',
                `${path}:1`,
                `drizzle's migrator has applied ${last.name}, and not this one before it`,
                `apply it by hand, and tell: insert into __drizzle_migrations (hash, created_at) values ('${rawSha256}', ${journalMs})`,
              ),
            ]
          : [];
      return hash === rawSha256 || hash === sha256
        ? []
        : [
            migrationProblem(
              'migration-changed',
              `${path}:1`,
              "it was changed after drizzle's migrator applied it",
              `put it back as it was; where the database is right, run: update __drizzle_migrations set hash = '${rawSha256}' where created_at = ${journalMs}`,
            ),
          ];
    }),
  ];
}
