/** A header that lets a client in: its value is `before` and then what the variable holds. */
export interface Secret {
  readonly header: string;
  readonly before: string;
  readonly variable: string;
}

/** How one MCP client is told of a server. */
export interface McpClient {
  /** The file, as JSON. Without a secret the client connects without one, or signs in by OAuth when it is asked to. */
  toConfig(name: string, url: string, secret?: Secret): object;
  /** Where it belongs, and what is left to do. */
  advice(secret?: Secret): string;
}

/** Each client has a file of its own, and a way of its own to say "the value of that variable"; by `--client`. */
export const mcpClients = {
  claude: {
    toConfig: (name, url, secret) => ({
      mcpServers: { [name]: { type: 'http', url, ...headers(secret, (variable) => `\${${variable}}`) } },
    }),
    advice: (secret) => `this belongs in .mcp.json${setBefore(secret, 'claude')}`,
  },
  'claude-desktop': {
    toConfig: bridge,
    advice: (secret) =>
      `this belongs in claude_desktop_config.json (Settings, Developer, Edit Config)${fillIn(secret)}`,
  },
  cursor: {
    toConfig: (name, url, secret) => ({
      mcpServers: { [name]: { url, ...headers(secret, (variable) => `\${env:${variable}}`) } },
    }),
    advice: (secret) => `this belongs in .cursor/mcp.json${setBefore(secret, 'Cursor')}`,
  },
  vscode: {
    toConfig: (name, url, secret) => ({
      ...(secret && {
        inputs: [
          { type: 'promptString', id: secret.variable, description: `API key of ${name}`, password: true },
        ],
      }),
      servers: {
        [name]: { type: 'http', url, ...headers(secret, (variable) => `\${input:${variable}}`) },
      },
    }),
    advice: (secret) => `this belongs in .vscode/mcp.json${secret ? '; VS Code asks for the key once' : ''}`,
  },
  windsurf: {
    toConfig: (name, url, secret) => ({
      mcpServers: { [name]: { serverUrl: url, ...headers(secret, (variable) => `\${env:${variable}}`) } },
    }),
    advice: (secret) => `this belongs in ~/.codeium/windsurf/mcp_config.json${setBefore(secret, 'Windsurf')}`,
  },
  'mcp-remote': {
    toConfig: bridge,
    advice: (secret) => `this is for clients that can only start a command${fillIn(secret)}`,
  },
} as const satisfies Readonly<Record<string, McpClient>>;

function headers(secret: Secret | undefined, refer: (variable: string) => string): object {
  return secret ? { headers: { [secret.header]: secret.before + refer(secret.variable) } } : {};
}

/** A command that speaks to the server on behalf of its client. Such clients know no variables but those they set. */
function bridge(name: string, url: string, secret?: Secret): object {
  const args = [
    ...['-y', 'mcp-remote', url],
    // No blank: some clients tear arguments apart at it.
    ...(secret ? ['--header', `${secret.header}:\${${secret.variable}}`] : []),
    ...(isTrusted(url) ? [] : ['--allow-http']),
  ];
  const env = secret && { [secret.variable]: `${secret.before}<${secret.variable}>` };
  return { mcpServers: { [name]: { command: 'npx', args, ...(env && { env }) } } };
}

/** What `mcp-remote` connects to without being told that it may. */
function isTrusted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '127.0.0.1';
}

function setBefore(secret: Secret | undefined, client: string): string {
  return secret ? `; set ${secret.variable} where ${client} is started` : '';
}

function fillIn(secret: Secret | undefined): string {
  return secret
    ? `; write what ${secret.variable} holds for <${secret.variable}>, and commit it nowhere`
    : '';
}
