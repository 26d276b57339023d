// The official server of the second generation, as its documentation shows for node:http.
import { createServer } from 'node:http';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { announce } from '../../lib/announce.ts';

const handler = toNodeHandler(
  createMcpHandler(() => {
    const mcp = new McpServer({ name: 'bench', version: '1.0.0' });
    mcp.registerTool(
      'echo',
      {
        description: 'Gives back a text.',
        inputSchema: z.object({ text: z.string() }),
        outputSchema: z.object({ text: z.string() }),
      },
      ({ text }) => ({
        content: [{ type: 'text', text: JSON.stringify({ text }) }],
        structuredContent: { text },
      }),
    );
    return mcp;
  }),
);
const hostIsOurs = localhostHostValidation();
const originIsOurs = localhostOriginValidation();
const server = createServer((req, res) => {
  if (hostIsOurs(req, res) && originIsOurs(req, res)) void handler(req, res);
});
server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${server.address().port}`));
