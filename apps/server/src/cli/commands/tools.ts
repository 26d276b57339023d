import type { RouteTable, Tool } from '@waymark/contract';
import { askControl } from '../call/ask-control.ts';
import { findKey } from '../call/find-key.ts';
import { openTarget, toRefusal } from '../call/target.ts';
import { findApplication, loadDescribable, loadEnvironment } from '../load/load-application.ts';
import { Failure } from '../output/failure.ts';
import { formatTable } from '../output/format-table.ts';
import { command, fileArgument, jsonOption } from './command.ts';

/** `waymark tools`: what `GET {control_prefix}/tools` answers, to somebody who sees everything or to one key. */
export const tools = command(
  {
    meta: { name: 'tools', description: 'List the tools' },
    args: {
      ...fileArgument,
      as: {
        type: 'string',
        description: 'Only what a key sees: reader is in READER_KEY, of the environment or .waymark/dev.env',
        valueHint: 'reader',
      },
      ...jsonOption,
    },
    async run({ args }) {
      const { table } = await loadDescribable(args.file);
      const answer =
        args.as === undefined ? await askControl(table, '/tools') : await askAs(args.as, args.file);
      const { tools: rows } = answer as { readonly tools: readonly Tool[] };
      console.log(args.json ? JSON.stringify({ tools: rows }, null, 2) : format(rows, table));
    },
  },
  { examples: ['tools', 'tools src/application.ts --as reader --json'] },
);

/** Only a server can tell who a key is: it is started, on loopback, for this one question. */
async function askAs(as: string, file: string | undefined): Promise<unknown> {
  loadEnvironment(file);
  const target = await openTarget({
    file: findApplication(file),
    controlPrefix: '/_svc',
    headers: findKey(as, file),
  });
  try {
    const response = await target.send(`${target.controlPrefix}/tools`);
    if (!response.ok)
      throw new Failure(`${await toRefusal(response)}; mcpScopes says who may list the tools`);
    return await response.json();
  } finally {
    await target.close();
  }
}

/** Characters of JSON that are about one token of a model. */
const charactersPerToken = 4;

function format(rows: readonly Tool[], table: RouteTable): string {
  const sizes = rows.map((row) => Math.ceil(JSON.stringify(row).length / charactersPerToken));
  const lines = rows.map(({ name, description }, i) => [
    ...[name, table.tool(name)?.scopes.join(' ') || '-', `~${sizes[i]}`, description.split('\n', 1)[0] ?? ''],
  ]);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return `${formatTable(['TOOL', 'SCOPES', 'TOKENS', 'DESCRIPTION'], lines)}\n\n${rows.length} tools, about ${total} tokens in the context of a model`;
}
