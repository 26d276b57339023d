import { stripVTControlCharacters } from 'node:util';
import { type ArgType, defineCommand, parseArgs, renderUsage, runCommand } from 'citty';
import type { Command } from './commands/command.ts';
import { exitCodes, printFailure } from './output/print-failure.ts';
import { toScreenText } from './output/to-screen-text.ts';
import { UsageError, unknownName } from './output/usage-error.ts';
import { ownPackage } from './own-package.ts';

/** Each is loaded when it is asked for: `start` must not wait for what only `typegen` needs. */
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map(
  Object.entries({
    new: async () => (await import('./commands/new.ts')).newApplication,
    dev: async () => (await import('./commands/dev.ts')).dev,
    start: async () => (await import('./commands/start.ts')).start,
    check: async () => (await import('./commands/check.ts')).check,
    migrate: async () => (await import('./commands/migrate.ts')).migrate,
    seed: async () => (await import('./commands/seed.ts')).seed,
    backup: async () => (await import('./commands/backup.ts')).backup,
    restore: async () => (await import('./commands/restore.ts')).restore,
    explain: async () => (await import('./commands/explain.ts')).explain,
    routes: async () => (await import('./commands/routes.ts')).routes,
    tools: async () => (await import('./commands/tools.ts')).tools,
    call: async () => (await import('./commands/call.ts')).call,
    chat: async () => (await import('./commands/chat.ts')).chat,
    push: async () => (await import('./commands/push.ts')).push,
    tour: async () => (await import('./commands/tour.ts')).tour,
    watch: async () => (await import('./commands/watch.ts')).watch,
    openapi: async () => (await import('./commands/openapi.ts')).openapi,
    typegen: async () => (await import('./commands/typegen.ts')).typegen,
    'mcp-config': async () => (await import('./commands/mcp-config.ts')).mcpConfig,
    keygen: async () => (await import('./commands/keygen.ts')).keygen,
    security: async () => (await import('./commands/security.ts')).security,
  }),
);

/** What `dev` starts: no command for people. */
const devServer = async (): Promise<Command> => (await import('./commands/dev-server.ts')).devServer;

/** What `start` starts, where several processes serve: no command for people either. */
const worker = async (): Promise<Command> => (await import('./commands/worker.ts')).worker;

const inner: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['dev-server', devServer],
  ['worker', worker],
]);

/** The names of the commands. */
export const commandNames: readonly string[] = [...commands.keys()];

const waymark = defineCommand({
  meta: { name: 'waymark', description: 'One route declaration: REST, OpenAPI, MCP and a typed client.' },
  subCommands: Object.fromEntries(
    [...commands].map(([name, load]) => [name, async () => (await load()).definition]),
  ),
});

/**
 * Runs the command line without ending the process.
 *
 * @param argv arguments after the name of the program
 * @returns exit code: 0 done · 1 failure · 2 wrong usage · 78 wrong configuration
 */
export async function run(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  try {
    if (name === undefined || isHelp(name)) {
      console.log(plain(await renderUsage(waymark)));
      return name === undefined ? exitCodes.usage : 0;
    }
    if (name === '--version') {
      console.log(ownPackage().version);
      return 0;
    }
    const load = commands.get(name) ?? inner.get(name);
    if (!load) throw unknownName('command', name, commandNames);
    const command = await load();
    if (rest.some(isHelp)) {
      console.log(await toHelp(command));
      return 0;
    }
    if (command.runLine) return await command.runLine(rest);
    refuseMistakes(command, rest);
    const { result } = await runCommand(command.definition, { rawArgs: [...rest] });
    return typeof result === 'number' ? result : 0;
  } catch (error) {
    if (!isUsageError(error)) return printFailure(error);
    const said = toScreenText(stripVTControlCharacters(error.message));
    console.error(`${said}\nwaymark --help shows what there is`);
    return exitCodes.usage;
  }
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

async function toHelp({ definition, examples }: Command): Promise<string> {
  const lines = examples.map((example) => `  waymark ${example}`);
  return `${plain(await renderUsage(definition, waymark)).trimEnd()}\n\nEXAMPLES\n\n${lines.join('\n')}\n`;
}

/** citty paints even what goes into a pipe. */
function plain(text: string): string {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? text : stripVTControlCharacters(text);
}

/** Ours, or what citty throws for a missing or malformed argument. */
function isUsageError(error: unknown): error is Error {
  return error instanceof UsageError || (error instanceof Error && error.name === 'CLIError');
}

/** citty lets too much pass; a misspelt `--prot` would then change nothing, silently. */
function refuseMistakes(
  { definition: { args = {} }, takesMore = false }: Command,
  given: readonly string[],
): void {
  const known = Object.entries(args);
  const options = known.filter(([, { type }]) => type !== 'positional');
  for (const one of given) refuseOption(one, new Map(options.map(([name, { type }]) => [`--${name}`, type])));
  const parsed = parseArgs([...given], Object.fromEntries(known));
  const surplus = parsed._[known.length - options.length];
  if (surplus !== undefined && !takesMore) throw new UsageError(`there is nothing to do with "${surplus}"`);
  for (const [name, { type, required }] of known) {
    const isMissing = type === 'enum' && required === true && parsed[name] === undefined;
    if (isMissing || (type === 'string' && parsed[name] === ''))
      throw new UsageError(`--${name} needs a value`);
  }
}

/** citty takes `--no-` before every option, and one without a name. @param types of the options there are, by name */
function refuseOption(given: string, types: ReadonlyMap<string, ArgType>): void {
  // No option has a short form.
  if (/^-[^-]/.test(given)) throw unknownName('option', given, []);
  const [, no, name, value] = /^--(no-(?=[^=]))?([^=]*)(=[\s\S]*)?$/.exec(given) ?? [];
  if (name === undefined || given === '--') return;
  if (name === '') throw new UsageError(`there is nothing to do with "${given}"`);
  const option = `--${name}`;
  if (!types.has(option)) throw unknownName('option', option, [...types.keys()]);
  if (no === undefined) return;
  if (types.get(option) !== 'boolean')
    throw new UsageError(`there is no --no-${name}: ${option} takes a value`);
  if (value !== undefined) throw new UsageError(`--no-${name} takes no value`);
}
