// node:http and nothing else: what any server has to do for this one tool, and its answer in one write.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Type } from '@waymark/contract';
import { Compile } from 'typebox/compile';
import { announce } from '../../lib/announce.ts';

const schema = Type.Object({ text: Type.String() }, { additionalProperties: false });
const validator = Compile(schema);
const serverInfo = JSON.stringify({ name: 'bench', version: '0.1.0' });
const discoverMembers = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":${serverInfo}},`;

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly arguments?: unknown; readonly _meta?: unknown };
}

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const { jsonrpc, id, method, params } = JSON.parse(body) as Message;
    if (jsonrpc !== '2.0' || method !== 'tools/call' || params?.name !== 'echo')
      return refuse(res, id, -32601);
    const values = params.arguments;
    if (!validator.Check(values)) return refuse(res, id, -32602);
    const output = JSON.stringify({ text: values.text });
    const members = params._meta === undefined ? '' : discoverMembers;
    const content = `[{"type":"text","text":${JSON.stringify(output)}}]`;
    const result = `{${members}"content":${content},"structuredContent":${output},"isError":false}`;
    return answer(res, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  });
});
server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

function refuse(res: ServerResponse, id: unknown, code: number): void {
  answer(res, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'refused' } }));
}

function answer(res: ServerResponse, text: string): void {
  res.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  res.end(text);
}
