import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port of this machine whose line can be pulled: nothing is lost, and nobody is told. */
export interface HeldPort extends AsyncDisposable {
  readonly port: number;
  /** From now on nothing comes through, in either direction: no bytes, no new connection, no end of one. */
  hold(): void;
  /** Everything that was held comes through, in its order, as TCP delivers it when a line is back. */
  release(): void;
}

/** Passes connections on to a port. */
export async function heldPort(to: number): Promise<HeldPort> {
  const open = new Set<Socket>();
  let held: (() => void)[] | undefined;
  const through = (event: () => void): void => {
    if (held) held.push(event);
    else event();
  };
  const pass = (from: Socket, into: () => Socket | undefined): void => {
    open.add(from);
    from.setNoDelay(true);
    from.on('error', () => {});
    from.on('data', (chunk) => through(() => into()?.write(chunk)));
    from.once('close', () => {
      open.delete(from);
      through(() => into()?.destroy());
    });
  };
  const server = createServer((near) => {
    let far: Socket | undefined;
    through(() => {
      far = connect({ port: to, host: '127.0.0.1', noDelay: true });
      pass(far, () => near);
    });
    pass(near, () => far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    hold() {
      held ??= [];
    },
    release() {
      const events = held ?? [];
      held = undefined;
      for (const event of events) event();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
