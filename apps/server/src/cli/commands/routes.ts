import type { Values } from '@waymark/contract';
import { askControl } from '../call/ask-control.ts';
import { loadDescribable } from '../load/load-application.ts';
import { formatTable } from '../output/format-table.ts';
import { command, fileArgument, jsonOption } from './command.ts';

/** `waymark routes`: what `GET {control_prefix}/routes` answers, without starting anything. */
export const routes = command(
  {
    meta: { name: 'routes', description: 'List the routes' },
    args: {
      ...fileArgument,
      tools: { type: 'boolean', description: 'Only those that are tools', default: false },
      ...jsonOption,
    },
    async run({ args }) {
      const { table } = await loadDescribable(args.file);
      const { routes: all } = (await askControl(table, '/routes')) as { routes: readonly RouteRow[] };
      const rows = args.tools ? all.filter(({ tool }) => tool !== null) : all;
      console.log(args.json ? JSON.stringify({ routes: rows }, null, 2) : format(rows));
    },
  },
  { examples: ['routes', 'routes src/application.ts --tools --json'] },
);

/** A row of the listing, as far as it is shown. */
type RouteRow = Values & {
  readonly method: string;
  readonly path: string;
  readonly engine: string;
  readonly tool: string | null;
  readonly scopes: readonly string[];
  readonly approval: string;
};

function format(rows: readonly RouteRow[]): string {
  return formatTable(
    ['METHOD', 'PATH', 'TOOL', 'SCOPES', 'APPROVAL', 'ENGINE'],
    rows.map(({ method, path, tool, scopes, approval, engine }) => [
      ...[method, path, tool ?? '-', scopes.join(' ') || '-', approval, engine],
    ]),
  );
}
