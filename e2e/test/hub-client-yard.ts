import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toClient } from '@waymark/client-gen';
import { createRouteTable, HTTPError, type RouteTable } from '@waymark/contract';
import type { Devices } from '@waymark/contract/hub';
import { type Authenticate, anonymous } from '@waymark/contract/principal';
import { createDispatcher, createHost, createIds, startPlugins } from '@waymark/core-routes';
import { camera, type DeviceDeclaration, deviceHub, sensor } from '@waymark/device-hub';
import { createDoor, createLog, listen } from '@waymark/http';

/** What each key of the yard may do. */
export const keys = {
  operator: 'operator-key-of-the-yard',
  camera: 'camera-key-of-the-yard',
  viewer: 'viewer-key-of-the-yard',
} as const;
const scopes: Readonly<Record<string, readonly string[]>> = {
  [keys.operator]: ['devices:ingest', 'devices:read'],
  [keys.camera]: ['devices:ingest'],
  [keys.viewer]: ['devices:read'],
};

const authenticate: Authenticate = ({ headers, accessToken }) => {
  const key = headers['x-api-key'] ?? accessToken ?? '';
  // Pages are for everybody.
  if (key === '') return { ok: true, principal: anonymous([]) };
  const granted = scopes[key];
  if (!granted) return { ok: false, error: new HTTPError(401, 'unknown key') };
  const id = key.split('-')[0] ?? key;
  return { ok: true, principal: { id, rootId: id, authenticated: true, scopes: granted } };
};

/** A device hub that is being served. */
export interface Yard {
  readonly url: string;
  readonly port: number;
  /** As watchers see it. */
  readonly devices: Devices;
  /** Open sockets. */
  readonly sockets: number;
  /** Whatever was logged. */
  readonly logged: () => string;
  close(): Promise<void>;
}

const declarations: readonly DeviceDeclaration[] = [camera('door', { maxFps: 1_000 }), sensor('rain-gauge')];

/** Where a yard is opened. */
export interface YardOptions {
  /** A free one. */
  readonly port?: number;
  /** Answers the paths that are not the hub's. */
  readonly fallback?: RequestListener;
  /** Instead of the camera and the sensor. */
  readonly devices?: readonly DeviceDeclaration[];
  /** Where its paths begin. */
  readonly mountPath?: string;
}

/** Serves a camera `door` and a sensor `rain-gauge`. */
export async function openYard({
  port = 0,
  fallback,
  devices,
  mountPath = '',
}: YardOptions = {}): Promise<Yard> {
  const { table, hub } = yardTable(devices);
  const dispatcher = createDispatcher(table, { guards: hub.guards ?? [] });
  const lines: string[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } });
  const door = createDoor({ dispatcher, authenticate, newId: createIds(), log, mountPath });
  const plugins = await startPlugins([hub], createHost({ table, dispatcher, log }));
  const server = await listen(door, {
    ...{ host: '127.0.0.1', port, shutdownTimeoutMs: 5_000 },
    ...(fallback && { fallback }),
  });
  return {
    url: server.url,
    port: server.port,
    devices: hub.devices,
    get sockets() {
      return door.sockets;
    },
    logged: () => lines.join(''),
    async close() {
      await server.close();
      await plugins.stop();
    },
  };
}

function yardTable(devices = declarations): {
  readonly table: RouteTable;
  readonly hub: ReturnType<typeof deviceHub>;
} {
  const hub = deviceHub(devices);
  return { table: createRouteTable(hub.routes).freeze(), hub };
}

/** An event of a stream, as these tests look at it; a test of the generator compiles its types. */
export interface Event {
  readonly type: string;
  readonly seq: number;
  readonly skipped: number;
  readonly boot: string;
  readonly bytes: Uint8Array;
  readonly data: unknown;
}
export interface Publisher {
  readonly state: string;
  readonly taken: number;
  readonly refused: number;
  readonly dropped: number;
  readonly roundTripMs: number | undefined;
  readonly maxFps: number | undefined;
  frame(bytes: Uint8Array): boolean;
  telemetry(reading: object): boolean;
  close(): void;
}
interface Device {
  stream(options?: object): AsyncIterableIterator<Event>;
  publish(options?: object): Publisher;
}
export interface YardClient {
  createDevicesDoorFrames(input: object): Promise<{ readonly seq: number }>;
  getDevicesDoorLatest(): Promise<Uint8Array>;
  doorTelemetry(): Promise<{ readonly telemetry: unknown }>;
  readonly devices: { readonly door: Device; readonly 'rain-gauge': Device };
}

/** The source of the generated client. */
export function yardClientSource(): string {
  return toClient(yardTable().table, { title: 'Yard' });
}

/** The generated client of the yard, in a project of somebody else. */
export async function loadYardClient(): Promise<{
  create(options: object): YardClient;
  remove(): void;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'hub-client-'));
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const file = join(folder, 'client.ts');
  writeFileSync(file, yardClientSource());
  const { createClient } = (await import(pathToFileURL(file).href)) as {
    createClient: (options: object) => YardClient;
  };
  return { create: createClient, remove: () => rmSync(folder, { recursive: true }) };
}

/** A GIF of one pixel, followed by what makes it another frame. */
export function picture(mark: number, length = 64): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'));
  new DataView(bytes.buffer).setUint32(16, mark);
  return bytes;
}

/** The mark of such a picture. */
export function markOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(16);
}
