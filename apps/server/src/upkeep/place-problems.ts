import { DeclarationError, type Problem } from '@waymark/contract';
import { placeDatabase } from '../compose/application-database.ts';
import type { Settings } from '../options/settings.ts';

/** What is wrong with no file of migrations stands where the application is made. */
export function placeProblems(
  problems: readonly Problem[],
  { declaredAt }: Pick<Settings, 'declaredAt'>,
): readonly Problem[] {
  return problems.map((problem) =>
    problem.at === undefined && declaredAt !== undefined ? { ...problem, at: declaredAt } : problem,
  );
}

/** The same of what was thrown: by migrations, or by a database that cannot be opened. */
export function placeError(error: unknown, settings: Settings): unknown {
  if (!(error instanceof DeclarationError)) return error;
  return error.problems.every(({ declaration }) => declaration === 'database')
    ? placeDatabase(error, settings)
    : new DeclarationError(placeProblems(error.problems, settings));
}
