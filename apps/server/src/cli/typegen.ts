import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type ClientFile, toClient, toClientFiles } from '@waymark/client-gen';
import { command, fileArgument, jsonOption } from './command.ts';
import { loadDescribable } from './load-application.ts';
import { exitCodes } from './print-failure.ts';
import { UsageError } from './usage-error.ts';
import { writeOutput } from './write-output.ts';

/** `waymark typegen`: writes the typed client. The same application gives the same bytes. */
export const typegen = command(
  {
    meta: { name: 'typegen', description: 'Write the typed client: TypeScript that imports ky alone' },
    args: {
      ...fileArgument,
      out: {
        type: 'string',
        description: 'File, or folder for client.ts; printed as one module when absent',
        valueHint: 'client.ts',
      },
      'single-file': {
        type: 'boolean',
        description: 'Write one module, instead of client.control.ts and client.runtime.ts beside it',
        default: false,
      },
      imports: {
        type: 'enum',
        options: ['ts', 'js'],
        description: 'The ending by which the files import each other',
        default: 'ts',
      },
      check: {
        type: 'boolean',
        description: 'Write nothing; end with 1 when a file is not fresh',
        default: false,
      },
      ...jsonOption,
    },
    async run({ args }) {
      const { table, name: title } = await loadDescribable(args.file);
      if (args.out === undefined && !args.check) {
        const source = toClient(table, { title });
        console.log(args.json ? JSON.stringify({ source }) : source.trimEnd());
        return 0;
      }
      const file = toFile(args.out ?? '.');
      const name = basename(file, '.ts');
      // Files of another ending would have to import each other by that one.
      const single = args['single-file'] || name === basename(file);
      const files = single
        ? [{ name: basename(file), source: toClient(table, { title }) }]
        : toClientFiles(table, { title, name, imports: args.imports === 'js' ? 'js' : 'ts' });
      const states = files.map((one) => bringUp(dirname(file), one, args.check));
      const fresh = states.every((one) => one.fresh);
      if (args.json) console.log(JSON.stringify({ file, fresh, files: states }));
      else for (const one of states) tell(one, args.check);
      return fresh || !args.check ? 0 : exitCodes.failure;
    },
  },
  {
    examples: [
      'typegen --out client.ts',
      'typegen --out client.ts --single-file',
      'typegen src/application.ts --out client.ts --check',
    ],
  },
);

/** One file, and whether it held already what it is to hold. */
interface FileState {
  readonly file: string;
  readonly fresh: boolean;
}

/** Writes a file, unless it is only looked at. */
function bringUp(folder: string, { name, source }: ClientFile, check: boolean): FileState {
  const file = join(folder, name);
  const fresh = isFile(file) && readFileSync(file, 'utf8') === source;
  // A file that has not changed is left alone, for the sake of those who watch it.
  if (!fresh && !check) writeOutput(file, source);
  return { file, fresh };
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function tell({ file, fresh }: FileState, check: boolean): void {
  if (fresh || !check) console.log(`${file} ${fresh ? 'is fresh' : 'is written'}`);
  else console.error(`${file} is not what the application gives; write it again without --check`);
}

function toFile(out: string): string {
  if (/\.(?:[cm]?js|[jt]sx|json)$/.test(out))
    throw new UsageError(`${out} cannot hold the client, which is TypeScript; name a file.ts, or a folder`);
  return /\.[cm]?ts$/.test(out) ? out : join(out, 'client.ts');
}
