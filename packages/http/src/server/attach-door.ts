import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Door } from '../door/door.ts';
import { closeServer } from './close-server.ts';
import { Connections } from './connections.ts';

/** Server of an application that a door is attached to, as `attachDoor` returns it. */
export interface Attachment {
  /**
   * Drains the door and closes the server: requests under way are answered, those of the application too, sockets close with
   * 1001, and kept connections end. Whatever is left after `withinMs` is cut. Must be called once; a server that is closed
   * already, or never listened, is no fault.
   */
  close(withinMs: number): Promise<void>;
}

type UpgradeListener = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Gives the upgrades of a server to a door, and lets it close that server; to be called before the server listens.
 *
 * Other listeners of the server are told of the upgrades that the door does not know, whenever they were added, and of no
 * others: many end what they do not know. Where nobody else listens those are 404.
 */
export function attachDoor(door: Door, server: Server): Attachment {
  const connections = new Connections(server);
  // All listeners of an event are told of it, so that the one in front has to stand before the event itself.
  const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
  server.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== 'upgrade') return emit(event, ...args);
    const [req, socket, head] = args as Parameters<UpgradeListener>;
    door.upgrade(req, socket, head, () => void emit(event, req, socket, head));
    return true;
  };
  // Node looks for a listener before it lets anybody upgrade.
  const last: UpgradeListener & { readonly [isLast]: true } = Object.assign(
    (...upgrade: Parameters<UpgradeListener>): void => {
      const listeners = server.listeners('upgrade');
      if (listeners[0] === last && listeners.every((one) => isLast in one)) door.upgrade(...upgrade);
    },
    { [isLast]: true } as const,
  );
  server.on('upgrade', last);
  return { close: (withinMs) => closeServer(server, door, connections, withinMs) };
}

/** Marks the listener of a door: of several that stand alone the first one answers. */
const isLast: unique symbol = Symbol('last');
