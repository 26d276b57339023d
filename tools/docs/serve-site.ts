import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { buildSite, writeSite } from './build.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Serves a built site on this machine, and builds it again when a page of `docs` changes. Ends with its process. */
export async function serveSite(root: string, folder: string): Promise<void> {
  const server = createServer((request, response) => void answer(folder, request, response));
  const port = Number(process.env['PORT'] ?? 4173);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}/`);
  let building = Promise.resolve();
  watch(join(root, 'docs'), { recursive: true }, () => {
    building = building.then(async () => {
      // A page that is being written may be half a page.
      await buildSite(root).then(
        (site) => writeSite(site, folder),
        (error: unknown) => console.error(String(error)),
      );
    });
  });
}

async function answer(
  folder: string,
  { url = '/' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
  const file = path.endsWith(sep) ? `${path}index.html` : path;
  const content = await readFile(join(folder, file)).catch(() => undefined);
  const type = types[extname(file)] ?? 'application/octet-stream';
  response.writeHead(content ? 200 : 404, { 'content-type': content ? type : 'text/plain' });
  response.end(content ?? 'not found');
}
