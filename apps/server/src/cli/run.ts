import { nearest } from '@waymark/contract';
import { type CommandDef, defineCommand, renderUsage, runCommand } from 'citty';
import { dev } from './dev.ts';
import { keygen } from './keygen.ts';
import { exitCodes, printFailure } from './print-failure.ts';
import { security } from './security.ts';
import { start } from './start.ts';
import { UsageError } from './usage-error.ts';

// citty types a command by its arguments; here only their names matter.
const commands = { dev, start, keygen, security } as unknown as Readonly<Record<string, CommandDef>>;

const waymark = defineCommand({
  meta: { name: 'waymark', description: 'One route declaration: REST, OpenAPI, MCP and a typed client.' },
  subCommands: { ...commands },
});

/**
 * Runs the command line.
 *
 * @returns the exit code: 0, 1 failure, 2 usage, 78 configuration
 */
export async function run(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  try {
    if (name === undefined || name === '--help' || name === '-h') {
      console.log(await renderUsage(waymark));
      return name === undefined ? exitCodes.usage : 0;
    }
    const command = commands[name];
    if (!command) throw unknown('command', name, Object.keys(commands));
    if (rest.includes('--help') || rest.includes('-h')) {
      console.log(await renderUsage(command, waymark));
      return 0;
    }
    refuseUnknownOptions(command, rest);
    const { result } = await runCommand(command, { rawArgs: rest });
    return typeof result === 'number' ? result : 0;
  } catch (error) {
    if (!isUsageError(error)) return printFailure(error);
    console.error(`${error.message}\nwaymark --help shows what there is`);
    return exitCodes.usage;
  }
}

/** Ours, or what citty throws for a missing or malformed argument. */
function isUsageError(error: unknown): error is Error {
  return error instanceof UsageError || (error instanceof Error && error.name === 'CLIError');
}

/** citty lets unknown options pass; a misspelt `--prot` would then change nothing, silently. */
function refuseUnknownOptions({ args = {} }: CommandDef, given: readonly string[]): void {
  const known = Object.keys(args);
  for (const one of given) {
    // No option has a short form.
    if (/^-[^-]/.test(one)) throw unknown('option', one, []);
    const [, option] = /^--(?:no-)?([^=]+)/.exec(one) ?? [];
    if (option !== undefined && !known.includes(option))
      throw unknown(
        'option',
        `--${option}`,
        known.map((word) => `--${word}`),
      );
  }
}

function unknown(what: string, given: string, known: readonly string[]): UsageError {
  const close = nearest(given, known);
  return new UsageError(
    `unknown ${what} "${given}"${close === undefined ? '' : `; did you mean "${close}"?`}`,
  );
}
