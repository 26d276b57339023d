import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port of this machine that behaves as if it were far away. */
export interface DistantPort extends AsyncDisposable {
  readonly port: number;
}

/** Passes connections on to a port, whatever is sent arriving half a round trip later, in both directions. */
export async function distantPort(to: number, roundTripMs: number): Promise<DistantPort> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ port: to, host: '127.0.0.1', noDelay: true });
    near.setNoDelay(true);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => {});
      from.on('data', (chunk) => setTimeout(() => into.write(chunk), roundTripMs / 2));
      from.once('close', () => {
        open.delete(from);
        setTimeout(() => into.destroy(), roundTripMs / 2);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
