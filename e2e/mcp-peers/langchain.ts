import { load } from './load.ts';
import { type Connect, type PeerAnswer, transportOptions } from './peer.ts';

interface Tool {
  readonly name: string;
  invoke(values: object): Promise<unknown>;
}
interface Module {
  readonly MultiServerMCPClient: new (
    options: object,
  ) => {
    getTools(): Promise<readonly Tool[]>;
    close(): Promise<void>;
  };
}

/** LangChain: its tools throw what failed, for its agents to read. */
export const connectLangChain: Connect = async (url, access) => {
  const { MultiServerMCPClient } = await load<Module>('@langchain/mcp-adapters');
  const { requestInit, ...rest } = transportOptions(access);
  const desk = { transport: 'http', url: url.href, ...requestInit, ...rest };
  const client = new MultiServerMCPClient({ mcpServers: { desk }, useStandardContentBlocks: true });
  const tools = await client.getTools();
  return {
    tools: async () => tools.map(({ name }) => name),
    async call(tool, values = {}) {
      try {
        return read(await tools.find(({ name }) => name === tool)!.invoke(values));
      } catch (error) {
        return { failed: true, text: (error as Error).message, images: [] };
      }
    },
    close: () => client.close(),
  };
};

/** A text alone comes as a string, one item as an object, several as a list. */
function read(said: unknown): PeerAnswer {
  const blocks = [typeof said === 'string' ? { type: 'text', text: said } : said].flat() as {
    readonly type: string;
    readonly text?: string;
    readonly data?: string;
  }[];
  return {
    failed: false,
    text: blocks.flatMap(({ text }) => text ?? []).join('\n'),
    images: blocks.flatMap(({ type, data }) => (type === 'image' && data !== undefined ? [data] : [])),
  };
}
