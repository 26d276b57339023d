import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { roundTripMs } from '../jobs.ts';

/** A way to a hub on which every byte takes half of `roundTripMs`, in both directions, and as many fit as come. */
export interface DelayProxy {
  readonly port: number;
  close(): void;
}

/** Opens such a way. */
export async function openDelayProxy(url: string): Promise<DelayProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const hub = connect({ host: hostname, port: Number(port) });
    for (const [from, to] of [
      [client, hub],
      [hub, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) => setTimeout(() => to.write(chunk), roundTripMs / 2));
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
