import { askControl } from '../call/ask-control.ts';
import { loadDescribable } from '../load/load-application.ts';
import { refuseOthers, writeOutput } from '../output/write-output.ts';
import { command, fileArgument, jsonOption } from './command.ts';

/** `waymark openapi`: the document that `GET {control_prefix}/openapi.json` answers, without starting anything. */
export const openapi = command(
  {
    meta: { name: 'openapi', description: 'Print the OpenAPI 3.1 document' },
    args: {
      ...fileArgument,
      out: { type: 'string', description: 'Write it to a file instead', valueHint: 'openapi.json' },
      ...jsonOption,
    },
    async run({ args }) {
      const { table } = await loadDescribable(args.file);
      // Routes stay in the order they are declared in: the same application gives the same bytes.
      const text = JSON.stringify(await askControl(table, '/openapi.json'), null, 2);
      if (args.out === undefined) return console.log(text);
      refuseOthers(args.out, /^\{/, 'an OpenAPI document');
      writeOutput(args.out, `${text}\n`);
      console.log(args.json ? JSON.stringify({ file: args.out }) : `wrote ${args.out}`);
    },
  },
  { examples: ['openapi > openapi.json', 'openapi src/application.ts --out openapi.json'] },
);
