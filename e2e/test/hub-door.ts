import { createRouteTable, HTTPError } from '@waymark/contract';
import type { Log } from '@waymark/contract/engine';
import type { Devices } from '@waymark/contract/hub';
import type { Authenticate, Principal } from '@waymark/contract/principal';
import { createDispatcher, createHost, createIds, requireAdmin, startPlugins } from '@waymark/core-routes';
import { type DeviceDeclaration, type DeviceHubOptions, deviceHub } from '@waymark/device-hub';
import { createDoor, createOutbound, type Door, type DoorOptions, listen } from '@waymark/http';
import { onTestFinished } from 'vitest';

/** What each key may do. */
export const grants: Readonly<Record<string, readonly string[]>> = {
  sender: ['devices:ingest'],
  reader: ['devices:read'],
  both: ['devices:ingest', 'devices:read'],
  admin: ['svc:admin'],
};

/** Takes the name of a grant for a key. */
export const authenticate: Authenticate = ({ headers, accessToken }) => {
  const key = headers['x-api-key'] ?? accessToken ?? '';
  const scopes = grants[key];
  if (!scopes) return { ok: false, error: new HTTPError(401, 'who are you?') };
  return { ok: true, principal: principalOf(key, scopes) };
};

function principalOf(id: string, scopes: readonly string[]): Principal {
  return { id, rootId: id, authenticated: true, scopes };
}

/** What the variables hold that cameras name. */
export const secrets: Readonly<Record<string, string>> = {
  CAMERA_TOKEN: 'token-hunter2',
  CAMERA_PASSWORD: 'password-hunter2',
};

/** A hub alone behind a door: no database, no agents, no application. */
export interface HubDoor {
  readonly door: Door;
  /** As watchers see it. */
  readonly devices: Devices;
  /** Shutdown begins: answers that would go on for ever end. */
  drain(): void;
  stop(): Promise<void>;
}

/** Makes the door of a hub, in front of which a server of one's own may stand. */
export async function createHubDoor(
  declarations: readonly DeviceDeclaration[],
  options: DeviceHubOptions = {},
  doorOptions: Partial<DoorOptions> = {},
  log: Log = () => {},
): Promise<HubDoor> {
  const hub = deviceHub(declarations, options);
  const table = createRouteTable(hub.routes).freeze();
  const controlRule = requireAdmin();
  const dispatcher = createDispatcher(table, { guards: hub.guards ?? [], controlRule });
  const end = new AbortController();
  const outbound = createOutbound();
  const host = createHost({
    table,
    dispatcher,
    outbound,
    signal: end.signal,
    env: (name) => secrets[name],
    log,
  });
  const plugins = await startPlugins([hub], host);
  const newId = createIds();
  const door = createDoor({ dispatcher, controlRule, authenticate, newId, ...doorOptions });
  const stop = async (): Promise<void> => {
    await plugins.stop();
    await outbound.close();
  };
  return { door, devices: hub.devices, drain: () => end.abort(), stop };
}

/** A hub that listens. */
export interface ServedHub {
  readonly url: string;
  readonly port: number;
  readonly devices: Devices;
  /** Open sockets. */
  readonly sockets: () => number;
  /** Sends as a key: `both` unless another is named. */
  send(method: string, path: string, body?: string | Uint8Array, key?: string): Promise<Response>;
  listing(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** Serves a hub on a server of its own, until the test is over. */
export async function serveHub(
  declarations: readonly DeviceDeclaration[],
  options?: DeviceHubOptions,
  doorOptions?: Partial<DoorOptions>,
  log?: Log,
): Promise<ServedHub> {
  const { door, devices, drain, stop } = await createHubDoor(declarations, options, doorOptions, log);
  const { url, port, close } = await listen(door, { host: '127.0.0.1', port: 0, shutdownTimeoutMs: 5_000 });
  let closed: Promise<void> | undefined;
  const end = (): Promise<void> => {
    drain();
    closed ??= close().then(stop);
    return closed;
  };
  onTestFinished(end);
  const send: ServedHub['send'] = (method, path, body, key = 'both') =>
    fetch(url + path, {
      method,
      headers: { 'x-api-key': key },
      ...(body !== undefined && { body: typeof body === 'string' ? body : Buffer.from(body) }),
    });
  return {
    ...{ url, port, devices, send },
    sockets: () => door.sockets,
    listing: async () => {
      const response = await send('GET', '/_svc/devices', undefined, 'admin');
      const { devices } = JSON.parse(await response.text());
      return devices;
    },
    close: end,
  };
}
