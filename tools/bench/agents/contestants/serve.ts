// Puts any contestant behind an equal route of node:http, the cheapest door there is: `serve.ts <module> <models> <folder>`.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce } from '../../lib/announce.ts';
import type { MakeRun } from '../question.ts';

const [, , module = '', modelsUrl = '', folder = ''] = process.argv;
const { makeRun } = (await import(module)) as { readonly makeRun: MakeRun };
const run = await makeRun(modelsUrl, folder);

const server = createServer((req, res) => {
  answer(req).then(
    (text) => {
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
      };
      res.writeHead(200, headers).end(text);
    },
    (error: unknown) => {
      console.error(error);
      res.writeHead(500).end();
    },
  );
});
server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

async function answer(req: IncomingMessage): Promise<string> {
  if (req.method !== 'POST' || req.url !== '/agents/clerk')
    throw new Error(`no route ${req.method} ${req.url}`);
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly input: string };
  return JSON.stringify({ output: await run(input) });
}
