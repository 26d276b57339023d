import type { Problem } from '@waymark/contract';
import { isError } from '@waymark/contract/declaring';
import { type Composition, compose } from '../compose/compose.ts';
import type { Declarations } from '../declaring/declarations.ts';
import { migrationsFolder } from '../upkeep/migrations-folder.ts';
import { placeProblems } from '../upkeep/place-problems.ts';
import { checkDeclarations } from './check-declarations.ts';

/**
 * Everything that is found without opening anything, warnings last. What keeps an application from starting comes with
 * what its files of migrations show by themselves; of one that starts, whoever applies them says it.
 */
export async function bootProblems(
  declarations: Declarations,
  composition: Composition = compose(declarations),
): Promise<readonly Problem[]> {
  const problems = checkDeclarations(declarations, composition);
  if (!problems.some(isError)) return problems;
  const { database, settings } = declarations;
  const folder = database.url === undefined ? undefined : await migrationsFolder(settings);
  if (folder === undefined) return problems;
  const { readMigrations } = await import('@waymark/data/upkeep');
  const ofFiles = placeProblems(readMigrations(folder).problems, settings);
  return [...problems.filter(isError), ...ofFiles, ...problems.filter((problem) => !isError(problem))];
}
