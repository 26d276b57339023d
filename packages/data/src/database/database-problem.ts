import { DeclarationError } from '@waymark/contract';

/** Why a database cannot be opened, in a stable word. */
export type DatabaseFault =
  | 'database-url'
  | 'database-folder'
  | 'database-node'
  | 'database-permission'
  | 'database-descriptors'
  | 'database-not-a-database'
  | 'database-newer'
  | 'database-damaged'
  | 'database-busy'
  | 'database-unreachable'
  | 'database-unauthorized';

/**
 * A database that cannot be opened, as the boot reports it: the command line ends with exit code 78.
 *
 * @param rule what is wrong, without credentials
 * @param fix what to do about it
 */
export function databaseProblem(code: DatabaseFault, rule: string, fix: string): DeclarationError {
  return new DeclarationError([{ code, declaration: 'database', rule, fix }]);
}
