import {
  askForTemplate,
  CreateError,
  initialiseGit,
  nextSteps,
  type TemplateName,
  templateNames,
  toTemplate,
  writeApplication,
} from 'create-waymark';
import { Failure } from '../output/failure.ts';
import { UsageError } from '../output/usage-error.ts';
import { command, jsonOption } from './command.ts';

/** `waymark new`: writes an application that runs, and whose tests pass, at once. `npm create waymark` does the same. */
export const newApplication = command(
  {
    meta: { name: 'new', description: 'Make a new application in a folder' },
    args: {
      folder: { type: 'positional', required: true, description: 'Where; must be empty or not there yet' },
      template: {
        type: 'string',
        description: `What it begins as: ${templateNames.join(', ')}; a terminal is asked, else minimal`,
        valueHint: 'agent',
      },
      source: {
        type: 'string',
        description: 'Folder with the packages as npm pack made them, instead of the registry',
        valueHint: 'folder',
      },
      yes: { type: 'boolean', description: 'Ask nothing', default: false },
      ...jsonOption,
    },
    async run({ args: { folder, template: given, source, yes, json } }) {
      try {
        const template = await choose(given, yes || json);
        const files = writeApplication(folder, { template, source });
        const git = initialiseGit(folder);
        const next = nextSteps(folder, template);
        console.log(
          json
            ? JSON.stringify({ folder, template, files, git, next }, null, 2)
            : [`${folder} is ready. Next:`, '', ...next.map((line) => `  ${line}`)].join('\n'),
        );
      } catch (error) {
        if (!(error instanceof CreateError)) throw error;
        throw error.exitCode === 2
          ? new UsageError(error.message, { cause: error })
          : new Failure(error.message, { cause: error });
      }
    },
  },
  { examples: ['new desk', 'new desk --template agent'] },
);

async function choose(given: string | undefined, silent: boolean): Promise<TemplateName> {
  if (given !== undefined) return toTemplate(given);
  return silent ? 'minimal' : askForTemplate({ input: process.stdin, output: process.stdout });
}
