import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toClient } from '@waymark/client-gen';
import { command, fileArgument, jsonOption } from './command.ts';
import { loadDescribable } from './load-application.ts';
import { exitCodes } from './print-failure.ts';
import { UsageError } from './usage-error.ts';
import { writeOutput } from './write-output.ts';

/** `waymark typegen`: writes the typed client. The same application gives the same bytes. */
export const typegen = command(
  {
    meta: { name: 'typegen', description: 'Write the typed client: one TypeScript module that imports ky' },
    args: {
      ...fileArgument,
      out: {
        type: 'string',
        description: 'File, or folder for client.ts; printed when absent',
        valueHint: 'client.ts',
      },
      check: {
        type: 'boolean',
        description: 'Write nothing; end with 1 when the file is not fresh',
        default: false,
      },
      ...jsonOption,
    },
    async run({ args }) {
      const { table, name } = await loadDescribable(args.file);
      const source = toClient(table, { title: name });
      if (args.out === undefined && !args.check) {
        console.log(args.json ? JSON.stringify({ source }) : source.trimEnd());
        return 0;
      }
      const file = toFile(args.out ?? '.');
      const fresh = isFile(file) && readFileSync(file, 'utf8') === source;
      // A file that has not changed is left alone, for the sake of those who watch it.
      if (!fresh && !args.check) writeOutput(file, source);
      if (args.json) console.log(JSON.stringify({ file, fresh }));
      else if (fresh || !args.check) console.log(`${file} ${fresh ? 'is fresh' : 'is written'}`);
      else console.error(`${file} is not what the application gives; write it again without --check`);
      return fresh || !args.check ? 0 : exitCodes.failure;
    },
  },
  { examples: ['typegen --out client.ts', 'typegen src/application.ts --out client.ts --check'] },
);

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function toFile(out: string): string {
  if (/\.(?:[cm]?js|[jt]sx|json)$/.test(out))
    throw new UsageError(
      `${out} cannot hold the client, which is one TypeScript module; name a file.ts, or a folder`,
    );
  return /\.[cm]?ts$/.test(out) ? out : join(out, 'client.ts');
}
