import { parseArgs } from 'node:util';
import { askForTemplate } from './ask-for-template.ts';
import { CreateError } from './create-error.ts';
import { initialiseGit } from './initialise-git.ts';
import { nextSteps } from './next-steps.ts';
import { ownVersion } from './own-package.ts';
import { templateNames, templates, toTemplate } from './templates.ts';
import { writeApplication } from './write-application.ts';

const options = {
  template: { type: 'string' },
  source: { type: 'string' },
  yes: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
} as const;

/**
 * `npm create waymark@latest my-app`: writes an application into a folder, and says what to do with it.
 *
 * @param argv arguments after the name of the program
 * @returns exit code: 0 done · 1 failure · 2 wrong usage
 */
export async function create(argv: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = read(argv);
    if (values.help) console.log(help());
    else if (values.version) console.log(ownVersion());
    else await write(positionals, values);
    return 0;
  } catch (error) {
    if (!(error instanceof CreateError)) throw error;
    console.error(error.message);
    return error.exitCode;
  }
}

type Given = ReturnType<typeof read>['values'];

async function write(positionals: readonly string[], { template, source, yes }: Given): Promise<void> {
  const [folder, surplus] = positionals;
  if (folder === undefined)
    throw new CreateError('name the folder of the application: npm create waymark@latest my-app');
  if (surplus !== undefined) throw new CreateError(`there is nothing to do with "${surplus}"`);
  const chosen =
    template !== undefined
      ? toTemplate(template)
      : yes
        ? templateNames[0]
        : await askForTemplate({ input: process.stdin, output: process.stdout });
  if (chosen === undefined) return;
  writeApplication(folder, { template: chosen, source });
  initialiseGit(folder);
  const steps = nextSteps(folder, chosen).map((line) => `  ${line}`);
  console.log([`${folder} is ready. Next:`, '', ...steps].join('\n'));
}

function read(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (cause) {
    // What node says of an option goes on with advice about arguments that nobody has in mind.
    const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('. ');
    throw new CreateError(`${reason}; --help shows what there is`, { cause });
  }
}

function help(): string {
  const width = Math.max(...templateNames.map((name) => name.length));
  return [
    'npm create waymark@latest <folder> [-- --template <name>]',
    '',
    ...templateNames.map((name) => `  ${name.padEnd(width)}  ${templates[name].says}`),
    '',
    '  --template <name>  what it begins as; a terminal is asked, else minimal',
    '  --source <folder>  packages as npm pack made them, instead of the registry',
    '  --yes              asks nothing',
    '  --version, --help',
  ].join('\n');
}
