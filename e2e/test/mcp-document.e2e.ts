import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { freePort, verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { visit } from '../mcp-peers/browser.ts';
import { inspectorFolder, installPeers } from '../mcp-peers/load.ts';
import { mcpRemoteProgram } from '../mcp-peers/mcp-remote.ts';
import { type Program, startProgram } from './program.ts';

const root = join(import.meta.dirname, '..', '..');
const waymark = 'apps/server/bin/waymark.js';
const documented = 'http://127.0.0.1:8000';
const document = readFileSync(join(root, 'docs/mcp.md'), 'utf8');

/** The files that the document shows, by name. */
const files = new Map(
  [...document.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [name, text]),
);
const tools = ['get_tickets_by_id_summary', 'delete_tickets_by_id'];
const summary = 'a short summary of ticket 7';

/** Where each host reads its entry, by what `mcp-config` calls it. */
const entries = {
  claude: '.mcp.json',
  cursor: '.cursor/mcp.json',
  vscode: '.vscode/mcp.json',
  windsurf: 'mcp_config.json',
  'claude-desktop': 'claude_desktop_config.json',
};

let folder: string;
let key: string;
let url: string;
const programs: Program[] = [];

/** A file as it is shown, but for the address. */
function shown(name: string): string {
  const text = files.get(name);
  if (text === undefined) throw new Error(`the document shows no ${name}`);
  return text.replaceAll(documented, url);
}

/** Serves one of the applications of the document, with the commands below the first. */
async function serve(file: string, port = 0): Promise<string> {
  const server = startProgram(waymark, { cwd: folder, argv: ['start', file, '--port', String(port)] });
  programs.push(server);
  const [, address = ''] = await server.saying(/url +(http:\S+)/);
  return address;
}

beforeAll(async () => {
  installPeers();
  // Beside the clients, so that the programs find them.
  folder = mkdtempSync(join(root, 'e2e/mcp-peers/.document-'));
  for (const [name, text] of files) if (!name.includes('/')) writeFileSync(join(folder, name), text);
  const keygen = startProgram(waymark, { cwd: folder, argv: ['keygen', '--env', 'DESK_KEY'] });
  await keygen.ended();
  appendFileSync(join(folder, '.env'), keygen.stdout());
  key = keygen.stdout().trim().split('=')[1] ?? '';
  url = await serve('application.ts');
}, 300_000);
afterAll(async () => {
  for (const { child, ended } of programs) {
    child.kill();
    await ended();
  }
  rmSync(folder, { recursive: true });
});

describe('the hosts of the document', () => {
  it.each(Object.values(entries))('connect as %s says', async (name) => {
    verifies('purpose.mcp.address', 'mcp.list');
    const { mcpServers, servers } = JSON.parse(shown(name)) as Readonly<Record<string, { desk: Entry }>>;
    const entry = (mcpServers ?? servers)?.desk;
    if (!entry) throw new Error(`no server in ${name}`);
    const client = new Client({ name, version: '1.0.0' });
    await client.connect(transportOf(entry));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(tools);
  });

  it('are told the same by mcp-config', async () => {
    verifies('cli.mcp-config');
    const commands = Object.keys(entries).map((client) => [
      folder,
      'mcp-config',
      '--client',
      client,
      '--json',
    ]);
    const argv = [JSON.stringify(commands)];
    const printed = startProgram('apps/server/test/run-commands.ts', { cwd: folder, argv });
    expect(await printed.ended()).toBe(0);
    const said = JSON.parse(printed.stdout()) as readonly { readonly out: string }[];
    for (const [i, name] of Object.values(entries).entries())
      expect([name, JSON.parse(said[i]?.out ?? '')]).toEqual([name, JSON.parse(files.get(name) ?? '')]);
  });
});

/** What hosts read of a server: an address with headers, or a command. */
interface Entry {
  readonly url?: string;
  readonly serverUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What a host makes of its entry: `${DESK_KEY}`, `${env:DESK_KEY}` and `${input:DESK_KEY}` are the key. */
function transportOf({
  url: address,
  serverUrl,
  headers = {},
  command,
  args = [],
  env = {},
}: Entry): Transport {
  if (command === undefined) {
    const filled = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(/\$\{(?:\w+:)?DESK_KEY\}/, key),
    ]);
    const requestInit = { headers: Object.fromEntries(filled) as Record<string, string> };
    return new StreamableHTTPClientTransport(new URL(address ?? serverUrl ?? ''), { requestInit });
  }
  const [yes, bridge, ...rest] = args;
  expect([command, yes, bridge]).toEqual(['npx', '-y', 'mcp-remote']);
  return new StdioClientTransport({
    command: process.execPath,
    args: [mcpRemoteProgram, ...rest],
    env: {
      MCP_REMOTE_CONFIG_DIR: folder,
      ...env,
      DESK_KEY: env['DESK_KEY']?.replace('<DESK_KEY>', key) ?? '',
    },
    stderr: 'ignore',
  });
}

/** Nothing but `strict`: what others compile with is not known. The packages are not ours to check. */
const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: true },
  ...{
    module: 'nodenext',
    allowImportingTsExtensions: true,
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: ['node'],
  },
};

/** Programs of the document that are clients. */
const clients = ['client.ts', 'sdk.ts', 'ai-sdk.ts', 'langchain.ts', 'openai-agents.ts', 'mastra.ts'];

describe('the programs of the document', () => {
  it('compile', () => {
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: [...clients, 'signed-in.ts'] }),
    );
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
  });

  it.each(clients)('%s lists the tools, uses one and ends', async (name) => {
    verifies('mcp.list', 'mcp.call');
    writeFileSync(join(folder, name), shown(name));
    const program = startProgram(join(relative(root, folder), name), {
      cwd: folder,
      env: { DESK_KEY: key },
    });
    expect([await program.ended(), program.stderr()]).toEqual([0, '']);
    for (const words of [...tools, summary]) expect(program.stdout()).toContain(words);
  });

  it.each([
    ['inspector.sh', tools],
    ['curl.sh', [summary]],
  ])('%s prints what is there', (name, words) => {
    const inspector = join(inspectorFolder, 'node_modules/.bin/mcp-inspector');
    const command = shown(name).replace('npx -y @modelcontextprotocol/inspector', inspector);
    const env = { ...process.env, DESK_KEY: key, HOME: folder };
    const { stdout, stderr, status } = spawnSync('sh', ['-c', command], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    for (const word of words) expect(stdout).toContain(word);
  });
});

describe('signing in, as the document has it', () => {
  it('shows the program that the clients of others are tried with', () => {
    const program = readFileSync(join(root, 'e2e/mcp-peers/sign-in.ts'), 'utf8');
    expect(files.get('sign-in.ts')).toBe(program);
  });

  it('lets a program in that leads a person to its issuer', async () => {
    verifies('mcp.auth.challenge', 'mcp.auth.metadata');
    const issuing = startProgram('e2e/mcp-peers/authorization-server.ts', {
      cwd: folder,
      argv: ['mcp', 'tickets:read', 'tickets:write'],
    });
    programs.push(issuing);
    const [, issuer = ''] = await issuing.saying(/^issuer (.+)$/m);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const declared = shown('issuer.ts')
      .replace('https://login.example.com', issuer)
      .replace('https://desk.example.com', origin);
    writeFileSync(join(folder, 'issuer.ts'), declared);
    await serve('issuer.ts', port);
    writeFileSync(join(folder, 'signed-in.ts'), shown('signed-in.ts').replace(url, origin));
    const program = startProgram(join(relative(root, folder), 'signed-in.ts'), { cwd: folder });
    const [, page = ''] = await program.saying(/^open (.+)$/m);
    expect(await visit(page)).toBe(200);
    expect([await program.ended(), program.stderr()]).toEqual([0, '']);
    expect(program.stdout()).toContain(summary);
  });

  it('takes a key as bearer where that is declared', async () => {
    verifies('authority.key.bearer');
    const hosted = 'a-hosted-key-of-more-than-16-bytes';
    appendFileSync(join(folder, '.env'), `HOSTED_KEY=${hosted}\n`);
    const served = await serve('bearer.ts');
    const requestInit = { headers: { authorization: `Bearer ${hosted}` } };
    const client = new Client({ name: 'hosted', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/_svc/mcp', served), { requestInit }));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(tools.slice(0, 1));
  });
});

describe('the application of the document', () => {
  it('refuses what waits for a human, in the words that are shown', async () => {
    verifies('mcp.call.approval-refused', 'mcp.call.failure-is-result');
    const call = async (name: string, values: object): Promise<string> => {
      const response = await fetch(`${url}/_svc/mcp`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: values },
        }),
      });
      const { result } = (await response.json()) as { result: { content: { text: string }[] } };
      return result.content[0]?.text ?? '';
    };
    const words = document.replace(/\s+/g, ' ');
    for (const text of [
      await call('delete_tickets_by_id', { id: 7 }),
      await call('get_tickets_by_id_summary', { id: 'seven' }),
    ])
      expect(words).toContain(`\`${text}\``);
  });

  it('answers pages of the origin that it declares', async () => {
    const served = await serve('browser.ts');
    const preflight = await fetch(`${served}/_svc/mcp`, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:6274',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,mcp-method,mcp-name,mcp-protocol-version,x-api-key',
      },
    });
    const allowed = preflight.headers.get('access-control-allow-headers');
    expect(allowed?.split(', ')).toEqual(
      expect.arrayContaining(['content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'x-api-key']),
    );
    const refused = await fetch(`${served}/_svc/mcp`, {
      method: 'POST',
      headers: { origin: 'http://localhost:6274' },
    });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-expose-headers')).toContain('www-authenticate');
  });
});
