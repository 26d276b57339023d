import { basename } from 'node:path';
import { DeclarationError, type Problem } from '@waymark/contract';
import { placeDatabase } from '../compose/application-database.ts';
import type { Settings } from '../options/settings.ts';

/** What is wrong with no file of migrations stands where the application is made. */
export function placeProblems(
  problems: readonly Problem[],
  { declaredAt, migrations }: Pick<Settings, 'declaredAt' | 'migrations'>,
): readonly Problem[] {
  return problems.map((problem) => ({
    ...problem,
    ...(problem.at === undefined && declaredAt !== undefined && { at: declaredAt }),
    ...(problem.code === 'migration-folder' &&
      problem.nearest !== undefined && { nearest: asWritten(problem.nearest, migrations) }),
  }));
}

/** The folder that was probably meant, as the option would name it: it is another one beside that. */
function asWritten(folder: string, migrations: Settings['migrations']): string {
  if (typeof migrations !== 'string') return folder;
  return migrations.replace(/[^/\\]+[/\\]*$/, () => basename(folder));
}

/** The same of what was thrown: by migrations, or by a database that cannot be opened. */
export function placeError(error: unknown, settings: Settings): unknown {
  if (!(error instanceof DeclarationError)) return error;
  return error.problems.every(({ declaration }) => declaration === 'database')
    ? placeDatabase(error, settings)
    : new DeclarationError(placeProblems(error.problems, settings));
}
