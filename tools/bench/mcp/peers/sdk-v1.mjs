// The official server of the first generation, stateless as its documentation shows: a server for each request.
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { announce } from '../../lib/announce.ts';

const server = createServer((req, res) => void answer(req, res));

async function answer(req, res) {
  const mcp = new McpServer({ name: 'bench', version: '1.0.0' });
  mcp.registerTool(
    'echo',
    {
      description: 'Gives back a text.',
      inputSchema: { text: z.string() },
      outputSchema: { text: z.string() },
    },
    ({ text }) => ({
      content: [{ type: 'text', text: JSON.stringify({ text }) }],
      structuredContent: { text },
    }),
  );
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  res.on('close', () => void Promise.all([transport.close(), mcp.close()]));
  await mcp.connect(transport);
  await transport.handleRequest(req, res);
}

server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${server.address().port}`));
