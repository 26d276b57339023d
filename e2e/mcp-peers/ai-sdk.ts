import { load } from './load.ts';
import { type Access, type Connect, toAnswer, transportOptions } from './peer.ts';

interface Module {
  createMCPClient(options: object): Promise<{
    tools(): Promise<Readonly<Record<string, { execute(values: object, call: object): Promise<never> }>>>;
    close(): Promise<void>;
  }>;
}

/** The AI SDK: its tools are made for `generateText`, which calls `execute`. */
export const connectAiSdk: Connect = async (url, access) => {
  const { createMCPClient } = await load<Module>('@ai-sdk/mcp');
  const client = await createMCPClient({ transport: { type: 'http', url: url.href, ...options(access) } });
  const tools = await client.tools();
  return {
    tools: async () => Object.keys(tools),
    call: async (tool, values = {}) =>
      toAnswer(await tools[tool]!.execute(values, { toolCallId: 'one', messages: [] })),
    close: () => client.close(),
  };
};

function options(access: Access): object {
  const { requestInit, ...rest } = transportOptions(access);
  return { ...requestInit, ...rest };
}
