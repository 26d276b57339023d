import { DeclarationError } from '@waymark/contract';
import type { DoneMigration, MigrationState } from '@waymark/data/upkeep';
import type { Upkeep } from '../../upkeep/upkeep.ts';
import { loadApplication } from '../load/load-application.ts';
import { Failure } from '../output/failure.ts';
import { formatTable } from '../output/format-table.ts';
import { exitCodes } from '../output/print-failure.ts';
import { command, fileArgument, jsonOption } from './command.ts';

/** `waymark migrate`: applies the numbered migrations that are pending, or says which they are. */
export const migrate = command(
  {
    meta: { name: 'migrate', description: 'Apply the numbered migrations that are pending' },
    args: {
      ...fileArgument,
      status: {
        type: 'boolean',
        description: 'List what was applied and what is pending, and apply nothing',
        default: false,
      },
      'dry-run': { type: 'boolean', description: 'List what would be applied', default: false },
      strict: {
        type: 'boolean',
        description: 'With --status or --dry-run: end with 1 when something is pending',
        default: false,
      },
      ...jsonOption,
    },
    async run({ args }) {
      const upkeep = (await loadApplication(args.file)).upkeep();
      if (args.status || args['dry-run']) return show(upkeep, { ...args, dryRun: args['dry-run'] });
      await refuseNothing(upkeep);
      const done: DoneMigration[] = [];
      await upkeep.withDatabase(async () => undefined, {
        onApplied(one) {
          done.push(one);
          // Each as it is stored: what comes after it may take long, or fail.
          if (!args.json) console.log(toLine(one));
        },
      });
      if (args.json) console.log(JSON.stringify({ applied: done }, null, 2));
      else console.log(`${done.length} applied, nothing is pending`);
      return 0;
    },
  },
  { examples: ['migrate', 'migrate --status', 'migrate src/application.ts --dry-run --strict --json'] },
);

function toLine({ name, ms, adopted }: DoneMigration): string {
  return adopted
    ? `known    ${name}, which drizzle's migrator applied`
    : `applied  ${name} in ${ms.toFixed(1)} ms`;
}

interface ShowOptions {
  readonly dryRun: boolean;
  readonly strict: boolean;
  readonly json: boolean;
}

async function show(upkeep: Upkeep, { dryRun, strict, json }: ShowOptions): Promise<number> {
  await refuseNothing(upkeep);
  const state = await upkeep.state();
  const { problems = [], applied = [], pending = [] } = state ?? {};
  if (problems.length > 0) throw new DeclarationError(problems);
  if (json) console.log(JSON.stringify(dryRun ? { pending } : { applied, pending }, null, 2));
  else console.log(format(dryRun ? [] : applied, pending));
  return strict && pending.length > 0 ? exitCodes.failure : 0;
}

function format(applied: MigrationState['applied'], pending: MigrationState['pending']): string {
  if (applied.length + pending.length === 0) return 'nothing is pending';
  return formatTable(
    ['MIGRATION', 'APPLIED', 'STATEMENTS'],
    [
      ...applied.map(({ name, atMs }) => [name, new Date(atMs).toISOString(), '-']),
      ...pending.map(({ name, statements, adopts }) => [
        ...[name, adopts ? "by drizzle's migrator" : 'pending', String(statements)],
      ]),
    ],
  );
}

/** @throws {Failure} there is nothing that could be migrated */
async function refuseNothing(upkeep: Upkeep): Promise<void> {
  if (upkeep.database === undefined)
    throw new Failure("the application has no database; write database: 'sqlite://app.db'");
  if ((await upkeep.folder()) === undefined)
    throw new Failure(
      `there is no folder of migrations; write ${upkeep.home}/migrations/0001_first.sql, or name it: migrations: 'folder'`,
    );
}
