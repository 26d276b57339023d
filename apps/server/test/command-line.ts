import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { run } from '../src/cli/run.ts';

/** What a command printed, and its exit code. */
export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in this process: what it prints is collected instead. */
export async function waymark(...argv: readonly string[]): Promise<Printed> {
  const said = { out: '', err: '' };
  const log = vi.spyOn(console, 'log').mockImplementation((text) => {
    said.out += `${text}\n`;
  });
  const error = vi.spyOn(console, 'error').mockImplementation((text) => {
    said.err += `${text}\n`;
  });
  try {
    return { code: await run(argv), ...said };
  } finally {
    log.mockRestore();
    error.mockRestore();
  }
}

/** A folder with files, the working directory until the test is over. Inside the repository: programs find its packages. */
export function inFolder(files: Readonly<Record<string, string>> = {}): string {
  const before = process.cwd();
  const folder = mkdtempSync(join(import.meta.dirname, '.command-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
    vi.unstubAllEnvs();
  });
  return folder;
}

/** The text of an application file. */
export function applicationText(body: string, options = '{}'): string {
  return `import { createApplication, from, HTTPError, Type } from '@waymark/server';
export const application = createApplication('desk', ${options});
${body}
`;
}

/** A desk with two keys and tools of every kind, for the commands that list, describe and call. */
export const desk = applicationText(
  `application.apiKey('OPERATOR_KEY', 'operator', { scopes: ['svc:admin', 'desk:read', 'desk:write'] });
application.apiKey('READER_KEY', 'reader', { scopes: ['mcp', 'desk:read'] });
application.get('/tickets/{id}', {
  summary: 'Read a ticket.\\nIts history too.',
  input: { id: Type.Integer(), style: Type.String({ default: 'short' }) },
  output: Type.Object({ id: Type.Integer(), style: Type.String() }),
  tool: true,
  toolName: 'get_ticket',
  scopes: ['desk:read'],
}, ({ id, style }) => {
  if (id === 99) throw new HTTPError(404, 'there is no ticket 99');
  return { id, style };
});
application.post('/echo/{place}', {
  input: {
    place: Type.String(), seen: from('query', Type.Boolean({ default: false })),
    text: Type.String({ default: '' }), count: Type.Number({ default: 0 }), urgent: Type.Boolean({ default: false }),
    tags: Type.Array(Type.String(), { default: [] }), sizes: Type.Array(Type.Integer(), { default: [] }),
    shape: Type.Any({ default: null }), json: Type.String({ default: '' }),
    status: Type.Union([Type.Literal('open'), Type.Literal('closed')], { default: 'open' }),
  },
  tool: true, toolName: 'echo', scopes: ['desk:write'],
}, (input) => input);
application.put('/notes', { input: { note: from('content', Type.Array(Type.Integer())) }, tool: true, toolName: 'note' }, ({ note }) => note);
application.post('/door', { tool: true, toolName: 'open_door', approval: 'required' }, () => 'open');
application.get('/bug', { tool: true, toolName: 'bug' }, () => { throw new Error('the secret cause'); });
application.get('/plain', { tool: true, toolName: 'plain' }, () => 'just text');
application.get('/hidden', () => 1);
`,
  `{ mcpScopes: ['mcp'], shutdownTimeout: 0.05 }`,
);

/** Its keys, in the environment until the test is over. */
export function stubKeys(): void {
  vi.stubEnv('LOG_LEVEL', 'silent');
  vi.stubEnv('OPERATOR_KEY', 'operator-key-of-the-test');
  vi.stubEnv('READER_KEY', 'reader-key-of-the-test');
}
