import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web site of somebody else on this machine: one empty page that answers to every name. */
export interface ForeignSite {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens the site. As an origin it is foreign by its port, and under `localhost` it is another site as well. */
export async function openForeignSite(): Promise<ForeignSite> {
  const server = createServer((_req, res) => {
    res.setHeader('content-type', 'text/html').end('<!doctype html><title>foreign</title><body></body>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
