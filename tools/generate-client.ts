// Writes packages/client from the route table of the reference application; `--check` fails when it is not fresh.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toClient } from '@waymark/client-gen';
import { createExample } from '../apps/server/example/application.ts';
import { repositoryRoot } from './lib/workspace.ts';

/** The generated file, relative to the root. */
export const clientFile = 'packages/client/src/index.ts';

/** The client as the reference application has it now. No variable of the environment may change it. */
export function generateClient(): string {
  const { table, name } = createExample({ env: {} });
  return toClient(table, { title: name });
}

if (import.meta.main) {
  const source = generateClient();
  const path = join(repositoryRoot, clientFile);
  const fresh = readFileSync(path, 'utf8') === source;
  if (!process.argv.includes('--check')) writeFileSync(path, source);
  else if (!fresh) {
    console.error(`${clientFile} is not what the reference application gives: run tools/generate-client.ts`);
    process.exitCode = 1;
  }
}
