import { command, fileArgument, jsonOption } from './command.ts';
import { isVariable } from './find-key.ts';
import { findApplication, loadApplication } from './load-application.ts';
import { defaultUrl } from './target.ts';
import { UsageError } from './usage-error.ts';

/** `waymark mcp-config`: what an MCP client reads to connect. The key itself is never part of it. */
export const mcpConfig = command(
  {
    meta: { name: 'mcp-config', description: 'Print what an MCP client needs to connect' },
    args: {
      ...fileArgument,
      client: {
        type: 'enum',
        options: ['claude', 'cursor', 'vscode'],
        required: true,
        description: 'Who reads it',
      },
      url: { type: 'string', description: 'Where the server is', valueHint: 'http://127.0.0.1:8000' },
      'key-env': { type: 'string', description: 'Variable that holds the key', valueHint: 'API_KEY' },
      ...jsonOption,
    },
    async run({ args }) {
      const { 'key-env': keyEnv = 'API_KEY' } = args;
      // It ends up in a file that is committed, and may be the key itself.
      if (!isVariable(keyEnv)) throw new UsageError('--key-env is not the name of a variable');
      const { name, controlPrefix, needsKey } = await describe(args.file);
      const client = clients[args.client];
      const url = `${(args.url ?? defaultUrl()).replace(/\/$/, '')}${controlPrefix}/mcp`;
      const env = args['key-env'] ?? (needsKey ? 'API_KEY' : undefined);
      console.log(JSON.stringify(client.toConfig(name, url, env), null, 2));
      if (!args.json) console.error(client.advice(env));
    },
  },
  { examples: ['mcp-config --client claude > .mcp.json', 'mcp-config --client vscode --key-env READER_KEY'] },
);

/** An application that is there knows better than the defaults. */
async function describe(
  file: string | undefined,
): Promise<{ readonly name: string; readonly controlPrefix: string; readonly needsKey: boolean }> {
  if (findApplication(file) === undefined) return { name: 'waymark', controlPrefix: '/_svc', needsKey: true };
  const application = await loadApplication(file);
  const { auth_configured: needsKey } = application.security();
  return {
    name: application.name,
    controlPrefix: application.table.controlPrefix,
    needsKey: needsKey === true,
  };
}

/** Each client has a file of its own, and a way of its own to say "the value of that variable". */
const clients = {
  claude: {
    toConfig: (name: string, url: string, env?: string) => ({
      mcpServers: { [name]: { type: 'http', url, ...(env && { headers: { 'x-api-key': `\${${env}}` } }) } },
    }),
    advice: (env?: string) => `this belongs in .mcp.json${env ? `; set ${env} where claude is started` : ''}`,
  },
  cursor: {
    toConfig: (name: string, url: string, env?: string) => ({
      mcpServers: { [name]: { url, ...(env && { headers: { 'x-api-key': `\${env:${env}}` } }) } },
    }),
    advice: (env?: string) =>
      `this belongs in .cursor/mcp.json${env ? `; set ${env} where Cursor is started` : ''}`,
  },
  vscode: {
    toConfig: (name: string, url: string, env?: string) => ({
      ...(env && {
        inputs: [{ type: 'promptString', id: env, description: `API key of ${name}`, password: true }],
      }),
      servers: {
        [name]: { type: 'http', url, ...(env && { headers: { 'x-api-key': `\${input:${env}}` } }) },
      },
    }),
    advice: (env?: string) =>
      `this belongs in .vscode/mcp.json${env ? '; VS Code asks for the key once' : ''}`,
  },
};
