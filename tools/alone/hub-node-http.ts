// A camera and a sensor on a server of node:http that has pages of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HTTPError } from '@waymark/contract';
import type { Authenticate } from '@waymark/contract/principal';
import { camera, deviceHub, sensor } from '@waymark/device-hub';
import { embed } from '@waymark/embed';

// Who comes: a device that sends, and somebody who looks.
const callers = new Map([
  ['door-key', { id: 'door-camera', scopes: ['devices:ingest'] }],
  ['viewer-key', { id: 'viewer', scopes: ['devices:read'] }],
]);
const authenticate: Authenticate = ({ headers, accessToken }) => {
  const caller = callers.get(headers['x-api-key'] ?? accessToken ?? '');
  if (!caller) return { ok: false, error: new HTTPError(401, 'who are you?') };
  return { ok: true, principal: { ...caller, rootId: caller.id, authenticated: true } };
};

const hub = deviceHub([camera('door', { maxFps: 15 }), sensor('greenhouse')]);
const waymark = await embed({ plugins: [hub], authenticate });

// Paths that no device has are the server's own.
const server = createServer(waymark.listener((req, res) => res.end(`a page of the server: ${req.url}`)));
waymark.attach(server).listen(Number(process.env['PORT'] ?? 8000), '127.0.0.1', () => {
  console.log(`listening on port ${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => void waymark.close());
