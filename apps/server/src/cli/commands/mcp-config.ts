import type { McpAccess } from '../../security/mcp-access.ts';
import { isVariable } from '../call/find-key.ts';
import { defaultUrl, refuseNoAddress } from '../call/target.ts';
import { findApplication, loadApplication } from '../load/load-application.ts';
import { UsageError } from '../output/usage-error.ts';
import { command, fileArgument, jsonOption } from './command.ts';
import { type McpClient, mcpClients, type Secret } from './mcp-clients.ts';

type ClientName = keyof typeof mcpClients;

/** `waymark mcp-config`: what an MCP client reads to connect. The key itself is never part of it. */
export const mcpConfig = command(
  {
    meta: { name: 'mcp-config', description: 'Print what an MCP client needs to connect' },
    args: {
      ...fileArgument,
      client: {
        type: 'enum',
        options: Object.keys(mcpClients) as ClientName[],
        required: true,
        description: 'Who reads it',
      },
      url: { type: 'string', description: 'Where the server is', valueHint: 'http://127.0.0.1:8000' },
      'key-env': {
        type: 'string',
        description: 'Variable that holds the key; that of the application',
        valueHint: 'READER_KEY',
      },
      ...jsonOption,
    },
    async run({ args }) {
      const { 'key-env': keyEnv } = args;
      // It ends up in a file that is committed, and may be the key itself.
      if (keyEnv !== undefined && !isVariable(keyEnv))
        throw new UsageError('--key-env is not the name of a variable');
      if (args.url !== undefined) refuseNoAddress(args.url);
      const { name, controlPrefix, access } = await describe(args.file);
      const url = `${(args.url ?? defaultUrl(args.file)).replace(/\/$/, '')}${controlPrefix}/mcp`;
      const secret = toSecret(keyEnv === undefined ? access : { kind: 'key', variable: keyEnv });
      const client: McpClient = mcpClients[args.client];
      console.log(JSON.stringify(client.toConfig(name, url, secret), null, 2));
      if (args.json) return;
      const signIn =
        !secret && access.kind === 'signIn' ? `; it asks you to sign in at ${access.issuer}` : '';
      console.error(client.advice(secret) + signIn);
    },
  },
  { examples: ['mcp-config --client claude > .mcp.json', 'mcp-config --client vscode --key-env READER_KEY'] },
);

/** An application that is there knows better than the defaults. */
async function describe(
  file: string | undefined,
): Promise<{ readonly name: string; readonly controlPrefix: string; readonly access: McpAccess }> {
  if (findApplication(file) === undefined)
    return { name: 'waymark', controlPrefix: '/_svc', access: { kind: 'key', variable: 'API_KEY' } };
  const application = await loadApplication(file);
  const { controlPrefix } = application.table;
  return { name: application.name, controlPrefix, access: application.mcpAccess() };
}

function toSecret(access: McpAccess): Secret | undefined {
  if (access.kind === 'key') return { header: 'x-api-key', before: '', variable: access.variable };
  if (access.kind === 'token')
    return { header: 'authorization', before: 'Bearer ', variable: 'ACCESS_TOKEN' };
  return undefined;
}
