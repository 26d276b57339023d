import type { Target } from '../call/target.ts';
import type { TourKey } from './find-tour-key.ts';
import { sampleArguments } from './sample-value.ts';

/** A command, and what it does. */
type Line = readonly [what: string, line: string];

/** Commands to try, in groups. */
export interface Tour {
  /** The command that reads the keys into variables; null where none is needed. */
  readonly load: string | null;
  readonly groups: readonly {
    readonly title: string;
    readonly lines: readonly { readonly what: string; readonly line: string }[];
  }[];
}

interface Row {
  readonly name: string;
  readonly expose_at?: string | null;
}

interface AgentRow extends Row {
  readonly expose_scopes: readonly string[];
}

interface ToolRow extends Row {
  readonly inputSchema: object;
  readonly annotations: { readonly readOnlyHint: boolean; readonly requiresApproval: boolean };
}

interface RouteRow {
  readonly method: string;
  readonly path: string;
  readonly engine: string;
  readonly scopes: readonly string[];
}

interface ApprovalRow {
  readonly approval_id: string;
  readonly agent: string | null;
  readonly tool: string;
}

/** Of each kind. */
const maxShown = 3;

/** Engines whose answers can be read in a terminal. */
const readable = new Set(['handler', 'static', 'query', 'resource']);

/**
 * Commands to try with a running server, made of what it serves: one of each kind, ready to paste, with what waits for a human
 * and how to decide it. No key is part of it: the lines take them from variables.
 *
 * @throws {Failure} nothing answers, or the key may not see what there is
 */
export async function tourOf(target: Target, key: TourKey): Promise<Tour> {
  const { url, controlPrefix } = target;
  const { curl, post, at, keyEnv } = wordsFor(url, key.variable);
  const { routes, tools, agents, flows, devices, approvals } = await readListings(target, key);
  const howToDecide: Line = [
    `decided by POST ${controlPrefix}/approvals/<approval_id> with {"approve":true}; those that were`,
    curl(`${controlPrefix}/approvals?status=approved`),
  ];
  const documented = routes.some(({ path }) => path === `${controlPrefix}/docs`);
  const groups: readonly (readonly [title: string, lines: readonly Line[]])[] = [
    [
      'Routes, over HTTP',
      routes
        .filter(({ method, path, engine }) => method === 'GET' && readable.has(engine) && !/\{/.test(path))
        .slice(0, maxShown)
        .map(({ path }) => [`GET ${quote(path)}`, curl(path)]),
    ],
    [
      'Tools, over MCP',
      tools
        .filter(({ annotations }) => annotations.readOnlyHint && !annotations.requiresApproval)
        .slice(0, maxShown)
        .map(({ name, inputSchema }) => [
          quote(name),
          `npx waymark call ${quote(name)}${toOptions(inputSchema)}${at}`,
        ]),
    ],
    [
      'Agents and flows',
      [
        ...agents
          .slice(0, maxShown)
          .map(({ name }): Line => [`talk to ${quote(name)}`, `npx waymark chat ${quote(name)}${at}`]),
        ...flows.slice(0, maxShown).map(({ name, expose_at: path }): Line => {
          const tool = tools.find((one) => one.name === name);
          return [
            `run ${quote(name)}`,
            post(path ?? `/flows/${name}`, tool ? sampleArguments(tool.inputSchema) : {}),
          ];
        }),
      ],
    ],
    [
      'What waits for a human',
      [
        ['list it', curl(`${controlPrefix}/approvals`)],
        ...approvals
          .slice(0, maxShown)
          .map(
            ({ approval_id: id, agent, tool }): Line => [
              `approve ${quote(tool)}${agent === null ? '' : `, which ${quote(agent)} wants to call`}; false declines it`,
              post(`${controlPrefix}/approvals/${id}`, { approve: true, note: 'seen' }),
            ],
          ),
        ...(approvals.length > 0 ? [] : [howToDecide]),
      ],
    ],
    [
      'Devices, in a browser',
      devices
        .slice(0, maxShown)
        .map(({ name }) => [quote(name), `${url}/devices/${encodeURIComponent(name)}/view`]),
    ],
    [
      'Documents and clients',
      [
        ...(documented ? [['the documentation, in a browser', `${url}${controlPrefix}/docs`] as const] : []),
        ['the OpenAPI document', curl(`${controlPrefix}/openapi.json`)],
        [
          'what an MCP client needs to connect',
          `npx waymark mcp-config --client claude${keyEnv} --url ${quote(url)}`,
        ],
        ['is it alive', `curl -s ${quote(`${url}${controlPrefix}/health`)}`],
      ],
    ],
  ];
  return {
    load: key.file === undefined ? null : `. ${dotted(key.file)}`,
    groups: groups
      .map(([title, lines]) => ({
        title,
        lines: lines.filter((line) => !unseen.test(line.join(''))).map(([what, line]) => ({ what, line })),
      }))
      .filter(({ lines }) => lines.length > 0),
  };
}

/** What a terminal would not show, or would obey: of a server that has such names no line is made to be pasted. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/** Formats a tour for a terminal: each line below what it does, ready to paste. */
export function formatTour({ load, groups }: Tour): string {
  return [
    ...(load === null ? [] : [`The lines take their key from a variable: ${load}`, '']),
    ...groups.flatMap(({ title, lines }) => [
      title,
      ...lines.flatMap(({ what, line }) => [`  # ${what}`, `  ${line}`]),
      '',
    ]),
  ].join('\n');
}

/** What a server lists to the one who asks; nothing of what that one may not see. */
async function readListings(target: Target, { headers }: TourKey) {
  const list = async <T>(name: string, member = name): Promise<readonly T[]> => {
    const response = await target.send(`${target.controlPrefix}/${name}`, { headers });
    if (!response.ok) return [];
    return ((await response.json()) as Readonly<Record<string, readonly T[]>>)[member] ?? [];
  };
  // Whoever reads all listings may start no agent for that.
  const listAgents = async (): Promise<readonly AgentRow[]> => {
    const all = await list<AgentRow>('agents');
    const scopes = await list<string>('session', 'scopes');
    return all.filter(({ expose_scopes: needed }) => needed.every((scope) => scopes.includes(scope)));
  };
  const [routes, tools, agents, flows, devices, approvals] = await Promise.all([
    list<RouteRow>('routes'),
    list<ToolRow>('tools'),
    listAgents(),
    list<Row>('flows'),
    list<Row>('devices'),
    list<ApprovalRow>('approvals'),
  ]);
  return { routes, tools, agents, flows, devices, approvals };
}

/** The pieces that lines are made of. @param variable of the key; undefined where none is shown */
function wordsFor(url: string, variable: string | undefined) {
  const header = variable === undefined ? '' : ` -H "x-api-key: $${variable}"`;
  const curl = (path: string, more = ''): string => `curl -s ${quote(url + path)}${header}${more}`;
  return {
    curl,
    post: (path: string, body: object): string =>
      curl(path, ` -H 'content-type: application/json' -d ${quote(JSON.stringify(body))}`),
    at: `${variable === undefined ? '' : ` --as ${variable}`} --url ${quote(url)}`,
    keyEnv: variable === undefined ? '' : ` --key-env ${variable}`,
  };
}

/** Shells look for a bare name in the path. */
function dotted(file: string): string {
  return file.startsWith('/') || file.startsWith('../') ? file : `./${file}`;
}

function toOptions(inputSchema: object): string {
  return Object.entries(sampleArguments(inputSchema))
    .map(([name, value]) => {
      const option = quote(`--${name}`);
      if (value === true) return ` ${option}`;
      return ` ${option} ${quote(typeof value === 'string' ? value : JSON.stringify(value))}`;
    })
    .join('');
}

function quote(text: string): string {
  return /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
