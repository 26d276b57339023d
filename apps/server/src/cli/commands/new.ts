import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { templateNames, writeApplication } from '../new/template.ts';
import { UsageError, unknownName } from '../output/usage-error.ts';
import { command, jsonOption } from './command.ts';

/** `waymark new`: writes an application that runs, and whose tests pass, at once. */
export const newApplication = command(
  {
    meta: { name: 'new', description: 'Make a new application in a folder' },
    args: {
      folder: { type: 'positional', required: true, description: 'Where; must be empty or not there yet' },
      template: { type: 'string', description: 'What it begins as', default: 'minimal' },
      source: {
        type: 'string',
        description: 'Folder with the packages as npm pack made them, instead of the registry',
        valueHint: 'folder',
      },
      yes: { type: 'boolean', description: 'Ask nothing; nothing is asked now', default: false },
      ...jsonOption,
    },
    run({ args: { folder, template, source, json } }) {
      if (!templateNames().includes(template)) throw unknownTemplate(template);
      const files = writeApplication(folder, { template, source });
      const git = initialiseGit(folder);
      const next = [`cd ${quote(folder)} && npm install`, 'npm run dev'];
      console.log(
        json
          ? JSON.stringify({ folder, template, files, git, next }, null, 2)
          : [`${folder} is ready. Next:`, '', ...next.map((line) => `  ${line}`)].join('\n'),
      );
    },
  },
  { examples: ['new desk', 'new desk --template minimal --yes'] },
);

function unknownTemplate(given: string): UsageError {
  const { message } = unknownName('template', given, templateNames());
  return new UsageError(
    `${message}${message.endsWith('?') ? '' : ';'} there are: ${templateNames().join(', ')}`,
  );
}

/** @returns whether there is a repository now that was not there before */
function initialiseGit(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return false;
  try {
    // A folder inside a repository belongs to that one.
    execFileSync('git', ['-C', folder, 'rev-parse', '--git-dir'], { stdio: 'ignore' });
    return false;
  } catch {
    // No repository, or no git.
  }
  try {
    execFileSync('git', ['init', '--quiet', folder], { stdio: 'ignore' });
    return true;
  } catch {
    // Without git everything else still works.
    return false;
  }
}

function quote(folder: string): string {
  return /^[\w./@-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
}
