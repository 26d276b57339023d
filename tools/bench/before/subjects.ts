import { runRequest } from '../agents/compare-over-http.ts';
import { RunLoad } from '../agents/run-load.ts';
import { requests } from '../data/tickets.ts';
import { cases } from '../http/api.ts';
import type { Contestant } from '../lib/best-of-rounds.ts';
import type { LoadRequest } from '../lib/load.ts';
import { RequestCost } from '../lib/request-cost.ts';
import type { ServerProcess } from '../lib/server-process.ts';
import { wires, withKey } from '../mcp/calls.ts';

/** One server of ours under one load. */
export interface Subject {
  /** Stable: the goal is named after it. */
  readonly name: string;
  /** Its file in `tools/bench`, there in both checkouts. */
  readonly program: string;
  /** `{file}` is a database with tickets of its own, `{models}` the model server, `{folder}` a folder of its own. */
  readonly args: readonly string[];
  readonly toCost: (name: string, server: ServerProcess) => Contestant;
}

/** What is promised not to get dearer: the path of a request, of a tool call, of a row and of a run. */
export const subjects: readonly Subject[] = [
  ...(['static', 'summary', 'create'] as const).flatMap((one) => [
    requesting(`http-bare-${one}`, 'http/contestants/waymark-bare.ts', [], [cases[one].request]),
    requesting(`http-full-${one}`, 'http/contestants/waymark.ts', [], [cases[one].request]),
  ]),
  requesting('http-middleware-create', 'http/contestants/waymark-middleware.ts', [], [cases.create.request]),
  ...wires.flatMap(({ name, request }) => [
    requesting(`mcp-${name}`, 'mcp/servers/waymark.ts', ['open'], [request]),
    requesting(`mcp-${name}-guarded`, 'mcp/servers/waymark.ts', ['guarded'], [withKey(request)]),
  ]),
  ...(['get', 'list', 'insert'] as const).map((one) =>
    requesting(`data-${one}`, 'data/servers/waymark.ts', ['{file}'], requests[one]),
  ),
  {
    name: 'agents-run',
    program: 'agents/contestants/waymark-server.ts',
    args: ['{models}', '{folder}'],
    toCost: (name, server) => new RunLoad(name, server, runRequest),
  },
];

function requesting(
  name: string,
  program: string,
  args: readonly string[],
  sent: readonly LoadRequest[],
): Subject {
  return { name, program, args, toCost: (who, server) => new RequestCost(who, server, sent) };
}
