import { join } from 'node:path';
import { installFolder } from '../../lib/install.ts';
import { startServerProcess } from '../lib/server-process.ts';
import { type Hub, nodeHub } from './hub.ts';
import type { Wire } from './jobs.ts';
import { startMosquitto } from './mosquitto.ts';

/** Everybody who can be measured. */
export type HubName =
  | 'waymark'
  | 'ws'
  | 'ws gate'
  | 'socket.io'
  | 'tcp'
  | 'mosquitto'
  | 'http bare'
  | 'http keeps'
  | 'http full'
  | 'ws keeps';

const programs: Readonly<
  Record<Exclude<HubName, 'mosquitto'>, readonly [file: string, args?: readonly string[], wire?: Wire]>
> = {
  waymark: ['contestants/waymark.ts'],
  ws: ['peers/ws.mjs', ['naive']],
  'ws gate': ['peers/ws.mjs', ['gate']],
  'socket.io': ['peers/socket-io.mjs', [], 'socket.io'],
  tcp: ['contestants/tcp.ts'],
  'http bare': ['contestants/http.ts', ['bare']],
  'http keeps': ['contestants/http.ts', ['keeps']],
  'http full': ['contestants/http.ts', ['full']],
  'ws keeps': ['peers/ws.mjs', ['keeps']],
};

/** Starts some hubs, lets somebody work with them, and ends them. One that is not installed is skipped, and named. */
export async function withHubs<T>(
  names: readonly HubName[],
  work: (hubs: ReadonlyMap<HubName, Hub>) => Promise<T>,
): Promise<T> {
  installFolder(join(import.meta.dirname, 'peers'));
  const hubs = new Map<HubName, Hub>();
  try {
    for (const name of names) {
      const hub = name === 'mosquitto' ? await startMosquitto(name) : await startProgram(name);
      if (hub) hubs.set(name, hub);
      else console.log(`${name} is not installed: skipped`);
    }
    return await work(hubs);
  } finally {
    await Promise.all([...hubs.values()].map((hub) => hub.stop()));
  }
}

async function startProgram(name: Exclude<HubName, 'mosquitto'>): Promise<Hub> {
  const [file, args = [], wire = 'websocket'] = programs[name];
  return nodeHub(name, await startServerProcess(join(import.meta.dirname, file), args), wire);
}
