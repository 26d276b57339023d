// Writes packages/client from the route table of the reference application; `--check` fails when it is not fresh.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientFile, toClientFiles } from '@waymark/client-gen';
import { createExample } from '../apps/server/example/application.ts';
import { repositoryRoot } from './lib/workspace.ts';

/** Where the generated files stand, relative to the root. */
export const clientFolder = 'packages/client/src';

/** The client as the reference application has it now. No variable of the environment may change it. */
export function generateClient(): readonly ClientFile[] {
  const { table, name } = createExample({ env: {} });
  return toClientFiles(table, { title: name, name: 'index' });
}

if (import.meta.main) {
  for (const { name, source } of generateClient()) {
    const path = join(repositoryRoot, clientFolder, name);
    const fresh = existsSync(path) && readFileSync(path, 'utf8') === source;
    if (!process.argv.includes('--check')) writeFileSync(path, source);
    else if (!fresh) {
      console.error(
        `${clientFolder}/${name} is not what the reference application gives: run tools/generate-client.ts`,
      );
      process.exitCode = 1;
    }
  }
}
