import type { Problem } from '@waymark/contract';
import type { RuleBook } from '@waymark/contract/declaring';

/** Rules of the numbered migrations of an application, by the `code` that a problem carries. */
export const migrationRules = {
  'migration-folder': 'The folder of migrations is there and holds numbered SQL files, each number once.',
  'migration-statement':
    'A migration holds statements that one transaction can hold, and leaves the tables of the service alone.',
  'migration-changed': 'A migration stays as it was when it was applied.',
  'migration-missing': 'A migration that was applied is still there, under its name.',
  'migration-order': 'A new migration comes after those that were applied.',
  'migration-failed': 'A migration runs to its end; of one that fails nothing stays.',
  'migration-pending': "With migrate: 'command' a server starts when every migration was applied.",
} as const satisfies RuleBook;

/** A broken rule of migrations. @param at `migrations/0001_a.sql:3` */
export function migrationProblem(
  code: keyof typeof migrationRules,
  at: string | undefined,
  rule: string,
  fix: string,
): Problem {
  return { code, declaration: 'migrations', rule, fix, ...(at !== undefined && { at }) };
}
