import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Principal } from '@waymark/contract/principal';
import { camera, deviceHub } from '@waymark/device-hub';
import { embed } from '@waymark/embed';
import Fastify from 'fastify';

/** A sign-in as it stands; yours looks into its sessions. */
function principalOf({ headers }: IncomingMessage): Principal | undefined {
  const known = (id: string, scopes: readonly string[]): Principal => ({
    ...{ id, rootId: id, scopes },
    authenticated: true,
  });
  if (headers['x-api-key'] === 'a-key-for-the-door') return known('door', ['devices:ingest']);
  return headers.cookie === 'user=ann' ? known('ann', ['devices:read']) : undefined;
}

/** Starts the application. @returns its address, and how it ends */
export async function start(port: number): Promise<{ readonly url: string; close(): Promise<void> }> {
  const waymark = await embed({ plugins: [deviceHub([camera('door', { maxFps: 15 })])], principalOf });
  const app = Fastify({
    serverFactory: (handler) => waymark.attach(createServer(waymark.listener(handler))),
  });
  app.addHook('preClose', waymark.close);
  app.get('/', () => 'A page of the application.');
  await app.listen({ port, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return { url, close: () => app.close() };
}

if (import.meta.main) {
  const { url, close } = await start(Number(process.env['PORT'] ?? 8000));
  console.log(url);
  process.once('SIGTERM', () => void close());
}
