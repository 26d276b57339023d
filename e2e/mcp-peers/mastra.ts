import { load } from './load.ts';
import { type Connect, type PeerAnswer, toAnswer, transportOptions } from './peer.ts';

interface Module {
  readonly MCPClient: new (
    options: object,
  ) => {
    listTools(): Promise<
      Readonly<Record<string, { execute(values: object, context: object): Promise<unknown> }>>
    >;
    getServerAuthState(server: string): string | undefined;
    disconnect(): Promise<void>;
  };
}

/** Mastra: it puts the name of the server before those of the tools, which throw what failed. */
export const connectMastra: Connect = async (url, access) => {
  const { MCPClient } = await load<Module>('@mastra/mcp');
  const client = new MCPClient({
    id: crypto.randomUUID(),
    servers: { desk: { url, ...transportOptions(access) } },
  });
  const tools = await client.listTools();
  // A server that it cannot reach is one without tools.
  if (client.getServerAuthState('desk') === 'needs-auth') throw new Error('needs-auth');
  return {
    tools: async () => Object.keys(tools).map((name) => name.replace(/^desk_/, '')),
    async call(tool, values = {}) {
      try {
        return read(await tools[`desk_${tool}`]!.execute(values, {}));
      } catch (error) {
        return { failed: true, text: (error as Error).message, images: [] };
      }
    },
    close: () => client.disconnect(),
  };
};

/** Of a tool with an output schema it hands on the structured content alone. */
function read(said: unknown): PeerAnswer {
  const isResult = typeof said === 'object' && said !== null && 'content' in said;
  return isResult
    ? toAnswer(said as Parameters<typeof toAnswer>[0])
    : { failed: false, text: JSON.stringify(said), images: [] };
}
