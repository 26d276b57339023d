import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Program, startProgram } from './program.ts';

const main = 'apps/server/example/main.ts';

/** What `waymark tour --json` prints. */
interface Tour {
  readonly load: string | null;
  readonly groups: readonly {
    readonly title: string;
    readonly lines: readonly { readonly line: string }[];
  }[];
}

/** The reference application as a newcomer starts it, in a folder of its own. */
interface Reference {
  readonly program: Program;
  readonly url: string;
  readonly folder: string;
}

async function startReference(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Reference> {
  const program = startProgram(main, { cwd: folder, argv: ['--tour'], env: { PORT: '0', ...env } });
  const [, url = ''] = await program.saying(/url +(http:\S+)/);
  // The last line of the tour.
  await program.saying(/# is it alive\n.*\n/);
  return { program, url, folder };
}

async function stop({ program }: Reference): Promise<number | null> {
  program.child.kill('SIGTERM');
  return program.ended();
}

/** The keys as the first screen shows them. */
function shownKeys(screen: string): Readonly<Record<'OPERATOR_KEY' | 'DEVICE_KEY' | 'READER_KEY', string>> {
  const keys = [...screen.matchAll(/^ {11}([A-Z]+_KEY)=(wm_\S+)$/gm)].map(([, name, key]) => [name, key]);
  return Object.fromEntries(keys) as Record<'OPERATOR_KEY' | 'DEVICE_KEY' | 'READER_KEY', string>;
}

let folder: string;
let reference: Reference;
let keys: ReturnType<typeof shownKeys>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reference-'));
  reference = await startReference(folder);
  keys = shownKeys(reference.program.stdout());
});
afterAll(async () => {
  await stop(reference);
  rmSync(folder, { recursive: true });
});

/** Runs a line of the tour as a shell does that has read the keys; answers are JSON, events, or headers. */
async function paste(line: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `. ./.waymark/dev.env; ${line}`], {
    cwd: folder,
  });
  return /^(?:event: |HTTP\/)/.test(stdout) ? stdout : JSON.parse(stdout);
}

describe('the first screen of the reference application', () => {
  it('says where it is, what it serves, who may use it, and where state is kept', () => {
    verifies(
      'startup.urls',
      'startup.counts',
      'startup.authentication',
      'startup.door',
      'startup.state',
      'startup.time',
    );
    const { program, url } = reference;
    // A machine that is busy may make a statement slow, which the log tells.
    const said = program.stdout().replace(/^\{.*\n/gm, '');
    const [report] = said.split('\n\n');
    expect(report?.replace(/\d+ (ms|routes|tools)/g, 'N $1').replace(/(?<=#code=)[\w-]{20,}$/m, '…')).toBe(
      [
        'support-desk 0.1.0 is ready in N ms',
        `  url      ${url}`,
        `  console  ${url}/_svc/console#code=…`,
        `  docs     ${url}/_svc/docs`,
        `  mcp      ${url}/_svc/mcp`,
        '  serves   N routes, N tools',
        '  auth     3 API keys: operator, device, reader',
        '  state    in sqlite://.waymark/support-desk.db',
        '  runs     1 process, table first',
        '  models   simulated, since neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set',
        '  keys     .waymark/dev.env, made just now; delete it to have new ones',
        ...Object.entries(keys).map(([name, key]) => `           ${name}=${key}`),
      ].join('\n'),
    );
    expect(program.stderr()).toBe('');
  });

  it('counts what is really there', async () => {
    verifies('startup.counts');
    const ask = async (path: string): Promise<Record<string, unknown[]>> =>
      (await fetch(`${reference.url}/_svc/${path}`, {
        headers: { 'x-api-key': keys.OPERATOR_KEY },
      }).then((response) => response.json())) as Record<string, unknown[]>;
    const [, routeCount, toolCount] =
      /serves +(\d+) routes, (\d+) tools/.exec(reference.program.stdout()) ?? [];
    expect((await ask('routes'))['routes']).toHaveLength(Number(routeCount));
    expect((await ask('tools'))['tools']).toHaveLength(Number(toolCount));
  });

  it('has a line that begins a conversation in the terminal', async () => {
    verifies('reference.prints');
    const [, line = ''] = /^ {2}npx waymark (.*)$/m.exec(reference.program.stdout()) ?? [];
    expect(line).toBe(`chat support --as operator --url ${reference.url}`);
    // The folder has no packages, where npx would look for the command.
    const talk = startProgram('apps/server/bin/waymark.js', {
      cwd: reference.folder,
      argv: line.split(' '),
      stdin: 'Which tickets are open?\n',
    });
    expect(await talk.ended()).toBe(0);
    expect(talk.stdout()).toContain('Printer on fire');
  });

  it('has curl lines that can be pasted, each of which does what it says', async () => {
    verifies('reference.prints');
    const screen = reference.program.stdout();
    const [, tour = ''] = screen.split('Try, after `. ./.waymark/dev.env`:\n');
    const lines = [...tour.matchAll(/^ {2}# (.*)\n {2}(curl .*)$/gm)];
    const answers: Record<string, unknown> = {};
    for (const [, what = '', line = ''] of lines) {
      // Shells differ in what they make of these: zsh looks for files that match.
      if (!what.startsWith('approve'))
        expect(line.replace(/'[^']*'|"x-api-key: \$\w+"/g, '')).not.toMatch(/[?*&;|<>$`"\\(){}[\]]/);
      answers[what] = await paste(line);
    }
    expect(screen.match(/^ {2}curl/gm)).toHaveLength(lines.length);
    const refund = expect.objectContaining({
      ...{ agent: 'biller', tool: 'refund_customer', arguments: { id: 1, euros: 49 } },
    }) as unknown;
    const asked = expect.objectContaining({
      ...{ agent: 'refund', tool: 'refund_customer', arguments: { id: 1, euros: 49 } },
    }) as unknown;
    const note = {
      key: 'printers',
      value: 'Call the fire brigade first.',
      updated_at_ms: expect.any(Number) as unknown,
    };
    const refused = {
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      detail: 'missing scope "tickets:write"',
    };
    expect(answers).toEqual({
      'read tickets, as the reader': [1, 2, 3].map((id) => expect.objectContaining({ id }) as unknown),
      'one declared route, by HTTP': {
        id: 1,
        summary: 'URGENT #1 Printer on fire (open): It started after the update. There is smoke.',
      },
      'the same route, as an MCP tool': {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [{ type: 'text', text: '{"id":1,"summary":"URGENT #1 Printer on fire (open)"}' }],
          isError: false,
        },
      },
      'every tool': { tools: expect.objectContaining({ length: 32 }) as unknown },
      'a query with a join, urgent ones first': [
        { id: 1, title: 'Printer on fire', urgent: true, customer: 'Ada Hartmann' },
        { id: 2, title: 'Password forgotten', urgent: false, customer: 'Bruno Silva' },
      ],
      'a digest and how it comes about, as events': [
        'event: progress\ndata: {"done":1,"total":2,"message":"Printer on fire"}\n\n',
        'event: progress\ndata: {"done":2,"total":2,"message":"Password forgotten"}\n\n',
        'event: result\ndata: {"status":200,"body":{"open":2,"urgent":1,',
        '"lines":["URGENT #1 Printer on fire","#2 Password forgotten"]}}\n\n',
      ].join(''),
      'open a ticket': {
        ...{ id: 4, title: 'Coffee machine is slow', body: '', status: 'open' },
        ...{ urgent: false, customer: null },
      },
      'remember something, each caller for itself': note,
      'find it again by its words': [note],
      'another service, behind this one': {
        customer: 1,
        invoices: expect.objectContaining({ length: 3 }) as unknown,
      },
      'ask an agent, which looks for itself': expect.objectContaining({
        agent: 'support',
        status: 'completed',
        output: expect.stringContaining('Printer on fire') as unknown,
      }) as unknown,
      'have an agent refund: it waits for a human': expect.objectContaining({
        status: 'awaiting_approval',
        pending_approvals: [refund],
      }) as unknown,
      'code that asks about all tickets at once: a behaviour': {
        read: 2,
        urgent: [{ id: 2, title: 'Password forgotten' }],
      },
      'a list of steps, one of which waits for a human: a flow': expect.objectContaining({
        ...{ flow: 'refund', status: 'awaiting_approval', pending_approvals: [asked] },
        steps: [expect.objectContaining({ tool: 'list_invoices', ok: true }) as unknown],
      }) as unknown,
      'what waits for a human': { approvals: [refund, asked] },
      'approve the first of it, as a human; the run goes on': expect.objectContaining({
        status: 'completed',
      }) as unknown,
      'the newest reading of a sensor': {
        device: 'thermometer',
        telemetry: { celsius: expect.any(Number) as unknown, humidity: expect.any(Number) as unknown },
        age_ms: expect.any(Number) as unknown,
      },
      'a camera that is asked for its picture: no older than a second, or 504': expect.stringMatching(
        /^HTTP\/1\.1 200 OK\r\n[\s\S]*x-frame-age: \d+\r\n/i,
      ) as unknown,
      'have that camera fail for 30 s': { camera: 'dock', fails_for_seconds: 30 },
      'the cameras, how they are, and who watches': {
        devices: [
          expect.objectContaining({ name: 'lobby', status: 'online', subscribers: 0 }) as unknown,
          expect.objectContaining({ name: 'dock', status: 'online', pulled: true }) as unknown,
          expect.objectContaining({ name: 'thermometer', kind: 'sensor', status: 'online' }) as unknown,
        ],
      },
      'what a watcher concludes of the lobby': {
        device: 'lobby',
        insights: expect.any(Array) as unknown,
      },
      'who watches, how often, and what it cost': {
        watchers: [expect.objectContaining({ name: 'lobby_watch', agent: 'lookout', max_cost_per_day: 1 })],
      },
      'where its webhooks go, and whether they arrive': {
        webhooks: [
          expect.objectContaining({ id: 'watcher:lobby_watch', signed: true, failed: 0, last_error: null }),
        ],
      },
      'what a reader may not do': { ...refused, request_id: expect.any(String) as unknown },
      'a gated tool, refused over MCP': {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [
            {
              type: 'text',
              text: 'tool "purge_tickets" requires human approval and cannot be invoked directly over MCP',
            },
          ],
          isError: true,
        },
      },
      'the OpenAPI document': expect.objectContaining({ openapi: '3.1.0' }) as unknown,
      'is it alive': expect.objectContaining({ status: 'ok', app: 'support-desk' }) as unknown,
    });
  });

  it('has a line for each kind of thing it serves in waymark tour, too, each of which works', async () => {
    verifies('cli.tour');
    const waymark = async (...argv: readonly string[]): Promise<string> => {
      const program = startProgram('apps/server/bin/waymark.js', { cwd: folder, argv, stdin: 'Hello?\n' });
      expect([argv, await program.ended()]).toEqual([argv, 0]);
      return program.stdout();
    };
    const tour = JSON.parse(await waymark('tour', '--json', '--url', reference.url)) as Tour;
    expect(tour.load).toBe('. ./.waymark/dev.env');
    expect(tour.groups.map(({ title }) => title)).toEqual([
      ...['Routes, over HTTP', 'Tools, over MCP', 'Agents and flows', 'What waits for a human'],
      ...['Devices, in a browser', 'Documents and clients'],
    ]);
    const lines = tour.groups.flatMap(({ lines }) => lines);
    expect(JSON.stringify(tour)).toContain('approve');
    for (const { line } of lines) {
      const [, command] = /^npx waymark (.*)$/.exec(line) ?? [];
      if (command !== undefined) await waymark(...command.split(' '));
      else if (line.startsWith('curl'))
        expect([line, await paste(line)]).not.toMatchObject([line, { status: 400 }]);
      else expect([line, (await fetch(line)).status]).toEqual([line, 200]);
    }
    // For people it is the same, and no key is part of it.
    const text = await waymark('tour', '--url', reference.url);
    for (const { line } of lines.slice(0, 3)) expect(text).toContain(`\n  ${line}\n`);
    for (const key of Object.values(keys)) expect(text).not.toContain(key);
  });

  it('shows on its board what its watcher saw, as it arrived by webhook', async () => {
    verifies('reference.watcher');
    const { url } = reference;
    const text = async (path: string): Promise<string> => (await fetch(url + path)).text();
    // It looks every 15 s.
    await expect.poll(() => text('/board'), { timeout: 60_000, interval: 500 }).toContain('There is a ball');
    expect(await text('/board/sightings')).toContain('There is a ball');
    const headers = { 'x-api-key': keys.OPERATOR_KEY };
    const { webhooks } = (await (await fetch(`${url}/_svc/webhooks`, { headers })).json()) as {
      readonly webhooks: readonly { readonly host: string; readonly delivered: number }[];
    };
    expect(webhooks[0]?.delivered).toBeGreaterThan(0);
    // Nobody else can put anything there.
    const forged = await fetch(`http://${webhooks[0]?.host}/sightings`, {
      method: 'POST',
      headers: { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,eA==' },
      body: JSON.stringify({ device: 'lobby', status: 'completed', output: 'Forged.', at_ms: 1 }),
    });
    expect(forged.status).toBe(401);
    expect(await text('/board/sightings')).not.toContain('Forged');
  });

  it('shows the descriptor of the specification, over MCP and in the listing, to the letter', async () => {
    verifies('descriptor.example', 'descriptor.four-members');
    const example =
      '{"name":"get_tickets_by_id_summary","description":"Summarise a ticket.","inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"style":{"type":"string","default":"short"}},"required":["id"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"idempotentHint":true,"requiresApproval":false}}';
    const headers = { 'x-api-key': keys.OPERATOR_KEY, 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const listed = await fetch(`${reference.url}/_svc/mcp`, { method: 'POST', headers, body });
    expect(await listed.text()).toContain(example);
    expect(await (await fetch(`${reference.url}/_svc/tools`, { headers })).text()).toContain(example);
  });
});

/** Every route of the reference application, and one way to call it that succeeds. */
const routes = [
  { tool: undefined, method: 'GET', path: '/', status: 200, needs: undefined },
  { tool: 'list_tickets', method: 'GET', path: '/tickets', status: 200, needs: 'tickets:read' },
  {
    tool: 'create_tickets',
    method: 'POST',
    path: '/tickets',
    arguments: { title: 'x' },
    status: 201,
    needs: 'tickets:write',
  },
  {
    tool: 'get_tickets',
    method: 'GET',
    path: '/tickets/1',
    arguments: { id: 1 },
    status: 200,
    needs: 'tickets:read',
  },
  {
    tool: 'get_tickets_by_id_summary',
    method: 'GET',
    path: '/tickets/1/summary',
    arguments: { id: 1 },
    status: 200,
    needs: 'tickets:read',
  },
  {
    tool: 'update_tickets',
    method: 'PATCH',
    path: '/tickets/1',
    arguments: { id: 1, urgent: true },
    status: 200,
    needs: 'tickets:write',
  },
  { tool: 'list_open_tickets', method: 'GET', path: '/tickets/open', status: 200, needs: 'tickets:read' },
  { tool: undefined, method: 'GET', path: '/customers', status: 200, needs: 'tickets:write' },
  {
    tool: 'notes_remember',
    method: 'POST',
    path: '/notes/remember',
    arguments: { key: 'a', value: 'b' },
    status: 200,
    needs: 'tickets:write',
  },
  {
    tool: 'notes_search',
    method: 'GET',
    path: '/notes/search?query=a',
    arguments: { query: 'a' },
    status: 200,
    needs: 'tickets:read',
  },
  { tool: 'digest_tickets', method: 'GET', path: '/tickets/digest', status: 200, needs: 'tickets:read' },
  {
    tool: 'close_ticket',
    method: 'POST',
    path: '/tickets/2/close',
    arguments: { id: 1 },
    status: 200,
    needs: 'tickets:write',
  },
  { tool: 'purge_tickets', method: 'POST', path: '/tickets/purge', status: 200, needs: 'tickets:purge' },
  { tool: undefined, method: 'GET', path: '/board', status: 200, needs: undefined },
  { tool: undefined, method: 'GET', path: '/board/1', status: 200, needs: undefined },
  { tool: undefined, method: 'GET', path: '/board/sightings', status: 200, needs: undefined },
  { tool: undefined, method: 'GET', path: '/sightings', status: 200, needs: 'devices:read' },
  { tool: undefined, method: 'GET', path: '/assets/style.css', status: 200, needs: undefined },
  {
    tool: 'list_invoices',
    method: 'GET',
    path: '/customers/1/invoices',
    arguments: { id: 1 },
    status: 200,
    needs: 'tickets:read',
  },
  {
    tool: 'support',
    method: 'POST',
    path: '/agents/support',
    arguments: { input: '[[say Hello.]]' },
    status: 200,
    needs: 'tickets:read',
  },
  {
    tool: 'thermometer_telemetry',
    method: 'GET',
    path: '/devices/thermometer/telemetry',
    status: 200,
    needs: 'devices:read',
  },
  {
    tool: 'lobby_snapshot',
    method: 'GET',
    path: '/devices/lobby/snapshot',
    status: 200,
    needs: 'devices:read',
  },
  {
    tool: undefined,
    method: 'POST',
    path: '/devices/thermometer/telemetry',
    arguments: { celsius: 20 },
    status: 202,
    needs: 'devices:ingest',
  },
  { tool: undefined, method: 'GET', path: '/_svc/health', status: 200, needs: undefined },
  ...['openapi.json', 'tools', 'routes', 'devices', 'agents', 'contexts', 'runs', 'approvals'].map(
    (name) => ({
      tool: undefined,
      method: 'GET',
      path: `/_svc/${name}`,
      status: 200,
      needs: 'svc:admin',
    }),
  ),
  {
    tool: undefined,
    method: 'POST',
    path: '/_svc/mcp',
    arguments: { jsonrpc: '2.0', id: 1, method: 'ping' },
    status: 200,
    needs: 'svc:admin',
  },
] as const satisfies readonly {
  tool: string | undefined;
  method: string;
  path: string;
  arguments?: object;
  status: number;
  needs: string | undefined;
}[];

const rights = {
  OPERATOR_KEY: [
    ...['svc:admin', 'tickets:read', 'tickets:write', 'tickets:purge'],
    ...['devices:read', 'devices:ingest'],
  ],
  DEVICE_KEY: ['devices:ingest'],
  READER_KEY: ['tickets:read', 'devices:read'],
} as const;

describe.each(Object.keys(rights) as (keyof typeof rights)[])('%s', (name) => {
  const held: readonly string[] = rights[name];

  it.each(routes)('may use $method $path exactly if it holds $needs', async (route) => {
    verifies('reference.operator-key', 'reference.device-key', 'reference.reader-key', 'route.option.scopes');
    const values = 'arguments' in route ? route.arguments : undefined;
    const { id: _inPath, ...rest } = { id: 0, ...values };
    const body =
      route.method !== 'GET' && values ? JSON.stringify('jsonrpc' in values ? values : rest) : undefined;
    const response = await fetch(reference.url + route.path, {
      method: route.method,
      headers: { 'x-api-key': keys[name], ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    const allowed = route.needs === undefined || held.includes(route.needs);
    expect(response.status).toBe(allowed ? route.status : 403);
    if (!allowed) expect(await response.json()).toMatchObject({ detail: `missing scope "${route.needs}"` });
  });

  it('has the same rights over MCP', async () => {
    verifies('reference.operator-key', 'reference.device-key', 'reference.reader-key');
    const rpc = async (method: string, params: object): Promise<Response> =>
      fetch(`${reference.url}/_svc/mcp`, {
        method: 'POST',
        headers: { 'x-api-key': keys[name], 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
    if (!held.includes('svc:admin')) {
      expect((await rpc('tools/list', {})).status).toBe(403);
      return;
    }
    for (const route of routes) {
      if (route.tool === undefined) continue;
      const given = 'arguments' in route ? route.arguments : {};
      const { result } = (await (await rpc('tools/call', { name: route.tool, arguments: given })).json()) as {
        result: { isError: boolean };
      };
      expect([route.tool, result.isError]).toEqual([route.tool, route.tool === 'purge_tickets']);
    }
  });
});

describe('without a key', () => {
  it.each(routes)(
    '$method $path asks for one exactly if it is not public',
    async ({ method, path, needs, status }) => {
      verifies('reference.always-authenticated');
      const { status: answered } = await fetch(reference.url + path, { method });
      expect(answered).toBe(needs === undefined ? status : 401);
    },
  );
});

describe('the next start of the reference application', () => {
  const made = { screen: '', ticket: 0, code: -1 as number | null };
  beforeAll(async () => {
    made.screen = reference.program.stdout();
    const headers = { 'x-api-key': keys.OPERATOR_KEY, 'content-type': 'application/json' };
    const body = JSON.stringify({ title: 'Still here' });
    const opened = await fetch(`${reference.url}/tickets`, { method: 'POST', headers, body });
    made.ticket = ((await opened.json()) as { readonly id: number }).id;
    made.code = await stop(reference);
    reference = await startReference(folder);
  });

  it('has its data again', async () => {
    verifies('app.option.database', 'startup.state');
    expect(made.code).toBe(0);
    const headers = { 'x-api-key': keys.OPERATOR_KEY };
    const response = await fetch(`${reference.url}/tickets?sort=-id&limit=1`, { headers });
    expect(await response.json()).toMatchObject([{ id: made.ticket, title: 'Still here' }]);
  });

  it('has the same keys, from a file that only its owner reads', () => {
    verifies('reference.makes-keys', 'reference.key-file', 'reference.prints');
    const file = join(folder, '.waymark', 'dev.env');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, '.waymark')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, '.waymark', 'support-desk.db')).mode & 0o777).toBe(0o600);
    for (const [name, key] of Object.entries(keys))
      expect(readFileSync(file, 'utf8')).toContain(`${name}=${key}`);
    expect(new Set(Object.values(keys)).size).toBe(3);
    expect(made.screen).toContain('.waymark/dev.env, made just now; delete it to have new ones');
    expect(made.screen).toContain('set OPERATOR_KEY, DEVICE_KEY, READER_KEY');
    expect(reference.program.stdout()).not.toContain('made just now');
  });

  it('does not show them again, but lines that take them from the file', async () => {
    verifies('reference.keys-once');
    const screen = reference.program.stdout();
    expect(shownKeys(screen)).toEqual({});
    for (const key of Object.values(keys)) expect(screen).not.toContain(key);
    expect(screen).toContain('  keys     .waymark/dev.env\n');
    const [, load = ''] = /Try, after `(.*)`:/.exec(screen) ?? [];
    const [, line = ''] = /# read tickets, as the reader\n {2}(.*)\n/.exec(screen) ?? [];
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `${load}\n${line}`], { cwd: folder });
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ id: made.ticket }));
  });
});

/** Starts it for one test, which does not leave it behind when it fails. */
function startForTest(...options: Parameters<typeof startProgram>): Program {
  const program = startProgram(...options);
  onTestFinished(() => void program.child.kill('SIGKILL'));
  return program;
}

/** Runs a test in a folder that nothing was ever started in. */
async function inNewFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const own = mkdtempSync(join(tmpdir(), 'reference-'));
  try {
    await work(own);
  } finally {
    rmSync(own, { recursive: true });
  }
}

describe('variables', () => {
  const own = {
    OPERATOR_KEY: 'operator-secret-of-the-test',
    DEVICE_KEY: 'device-secret-of-the-test',
    READER_KEY: 'reader-secret-of-the-test',
  };

  it('replace the keys of the file, which then is not made; nothing shows them', async () => {
    verifies('reference.always-authenticated');
    await inNewFolder(async (cwd) => {
      const given = await startReference(cwd, own);
      expect(existsSync(join(cwd, '.waymark', 'dev.env'))).toBe(false);
      const ask = async (key: string): Promise<number> =>
        (await fetch(`${given.url}/tickets`, { headers: { 'x-api-key': key } })).status;
      expect([await ask(own.READER_KEY), await ask(own.DEVICE_KEY), await ask(keys.READER_KEY)]).toEqual([
        200, 403, 401,
      ]);
      expect(await stop(given)).toBe(0);
      expect(given.program.stdout() + given.program.stderr()).not.toContain('secret-of-the-test');
    });
  });

  it('keep it from starting where one of them is given alone, and others reach it', async () => {
    verifies('reference.always-authenticated');
    await inNewFolder(async (cwd) => {
      const env = { PORT: '0', HOST: '0.0.0.0', OPERATOR_KEY: own.OPERATOR_KEY };
      const program = startForTest(main, { cwd, env });
      expect(await program.ended()).toBe(78);
      expect(program.stderr()).toContain('the variable DEVICE_KEY is not set');
      expect(program.stderr()).toMatch(/waymark keygen --env [A-Z]+_KEY/);
    });
  });
});

describe('on an address that others reach', () => {
  it('makes no keys and refuses to start', async () => {
    verifies('reference.always-authenticated', 'reference.makes-keys');
    await inNewFolder(async (cwd) => {
      const program = startForTest(main, { cwd, env: { PORT: '0', HOST: '0.0.0.0' } });
      expect(await program.ended()).toBe(78);
      expect(program.stderr()).toContain('3 declaration problems');
      expect(program.stderr()).toContain('waymark keygen --env OPERATOR_KEY');
      expect(existsSync(join(cwd, '.waymark', 'dev.env'))).toBe(false);
    });
  });

  it('is not what another name of this machine is: keys are made', async () => {
    verifies('reference.makes-keys');
    await inNewFolder(async (cwd) => {
      const local = await startReference(cwd, { WAYMARK_HOST: '127.0.0.2' });
      expect(Object.keys(shownKeys(local.program.stdout()))).toHaveLength(3);
      expect(await stop(local)).toBe(0);
    });
  });
});
