import { load } from './load.ts';
import { type Connect, toAnswer, transportOptions } from './peer.ts';

interface Module {
  readonly MCPServerStreamableHttp: new (
    options: object,
  ) => {
    connect(): Promise<void>;
    listTools(): Promise<readonly { readonly name: string }[]>;
    callToolResult(tool: string, values: object): Promise<never>;
    close(): Promise<void>;
  };
}

/** The Agents SDK of OpenAI. */
export const connectOpenAiAgents: Connect = async (url, access) => {
  const { MCPServerStreamableHttp } = await load<Module>('@openai/agents');
  const server = new MCPServerStreamableHttp({ name: 'desk', url: url.href, ...transportOptions(access) });
  await server.connect();
  return {
    tools: async () => (await server.listTools()).map(({ name }) => name),
    call: async (tool, values = {}) => toAnswer(await server.callToolResult(tool, values)),
    close: () => server.close(),
  };
};
