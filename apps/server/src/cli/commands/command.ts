import type { ArgsDef, CommandDef } from 'citty';

/** One command of the command line: what citty runs, and what its help shows besides. */
export interface Command {
  readonly definition: CommandDef;
  /** Command lines that work as they are, without the leading `waymark`. At least one. */
  readonly examples: readonly string[];
  /**
   * Reads and runs the command line itself, where options may be somebody else's: `call` takes those of the tool. citty has
   * names of its own among the options that it reads, so it is given none that we do not know.
   */
  readonly runLine?: (words: readonly string[]) => Promise<number>;
  /** More arguments than are declared, like the last of these; false. */
  readonly takesMore?: boolean;
}

/** The option that every command has. */
export const jsonOption = {
  json: { type: 'boolean', description: 'Print JSON, for programs', default: false },
} as const;

/** The argument of every command that reads an application. */
export const fileArgument = {
  file: {
    type: 'positional',
    required: false,
    description: 'File that exports the application (application.ts, src/application.ts)',
  },
} as const;

/** Declares a command. Its `run` gives the exit code where that is not 0. */
export function command<const T extends ArgsDef>(
  definition: CommandDef<T>,
  rest: Omit<Command, 'definition'>,
): Command {
  // citty types a command by its arguments; whoever picks one by its name knows nothing of them.
  return { definition: definition as unknown as CommandDef, ...rest };
}
