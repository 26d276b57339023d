import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const item = { name: 'item', in: 'path', required: true, schema: { type: 'string' } } as const;

/** What the service says of itself. */
const document = {
  openapi: '3.1.0',
  info: { title: 'stock', version: '1.0.0' },
  paths: {
    '/items': { get: { operationId: 'list_items', summary: 'List the items.' } },
    '/items/{item}': {
      get: { operationId: 'get_item', summary: 'Say how many there are of an item.', parameters: [item] },
      put: {
        operationId: 'set_item',
        summary: 'Set how many there are of an item.',
        parameters: [item],
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', properties: { count: { type: 'integer', minimum: 0 } } },
            },
          },
        },
      },
    },
  },
};

/** A service as it stands, which knows no keys. Ends with its process. @returns its address */
export async function startStock(): Promise<string> {
  const counts = new Map([['lamp', 3]]);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const answer = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    const [, name] = /^\/items\/([^/]+)$/.exec(pathname) ?? [];
    if (pathname === '/openapi.json') answer(200, document);
    else if (pathname === '/items') answer(200, [...counts.keys()]);
    else if (name === undefined) answer(404, { error: 'not found' });
    else if (request.method === 'PUT')
      void json(request).then((body) => {
        const { count } = body as { readonly count: number };
        counts.set(name, count);
        answer(200, { item: name, count });
      });
    else answer(counts.has(name) ? 200 : 404, { item: name, count: counts.get(name) ?? null });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
