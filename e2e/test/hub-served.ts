import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createRouteTable, type Json } from '@waymark/contract';
import { anonymous } from '@waymark/contract/principal';
import { createDispatcher, createHost, createIds, startPlugins } from '@waymark/core-routes';
import { camera, createMemoryBackend, deviceHub } from '@waymark/device-hub';
import { createDoor } from '@waymark/http';

/** A hub with one camera, `door`, that everybody may watch, behind a listening server. */
export interface ServedHub {
  readonly port: number;
  /** Frames published so far. */
  readonly published: number;
  /** Connections that are open. */
  readonly sockets: number;
  /** The most that any socket has held back in this process when a frame was published, bytes. */
  readonly mostHeldBack: number;
  frame(bytes: number): Promise<void>;
  reading(data: Json): Promise<void>;
  insight(runId: string, output: string): Promise<void>;
  /** Publishes frames at a steady rate. */
  film(scene: { readonly bytes: number; readonly fps: number; readonly seconds: number }): Promise<void>;
  close(): Promise<void>;
}

/** Serves it. The camera has nothing to say: tests publish in its name. */
export async function serveHub(): Promise<ServedHub> {
  const backend = createMemoryBackend({ keep: () => 2 });
  const plugin = deviceHub([camera('door')], { backend, maxViewersPerPrincipal: 1_000 });
  const table = createRouteTable(plugin.routes).freeze();
  const dispatcher = createDispatcher(table, { guards: plugin.guards ?? [] });
  const host = createHost({ table, dispatcher });
  const plugins = await startPlugins([plugin], host);
  const door = createDoor({
    dispatcher,
    authenticate: () => ({ ok: true, principal: anonymous(['devices:read']) }),
    newId: createIds(),
    maxSocketsPerCaller: 1_000,
  });
  const server = createServer(door.listener());
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', door.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let published = 0;
  let mostHeldBack = 0;

  const frame = async (length: number): Promise<void> => {
    const bytes = new Uint8Array(length).fill(published);
    published = await backend.publishFrame('door', { mediaType: 'image/jpeg', bytes, atMs: Date.now() });
    for (const { writableLength } of sockets) mostHeldBack = Math.max(mostHeldBack, writableLength);
  };
  return {
    port: (server.address() as AddressInfo).port,
    get published() {
      return published;
    },
    get sockets() {
      return sockets.size;
    },
    get mostHeldBack() {
      return mostHeldBack;
    },
    frame,
    reading: async (data) => backend.publishTelemetry('door', { data, atMs: Date.now() }),
    async insight(run_id, output) {
      await plugin.devices.publish({
        ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: null, output, run_id },
        ...{ status: 'completed', error: null, tokens: 0, cost_micros: null, at_ms: Date.now() },
      });
    },
    async film({ bytes, fps, seconds }) {
      // What a busy machine is late with is not made up for in a burst: cameras do not either.
      for (let i = 0; i < fps * seconds; i++) {
        await frame(bytes);
        await wait(1000 / fps);
      }
    },
    async close() {
      await plugins.stop();
      await door.closeSockets(100);
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}
