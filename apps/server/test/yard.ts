import type { Insight } from '@waymark/contract/hub';
import { type Simulator, startSimulator } from '@waymark/model-simulator';
import type { Application, ApplicationOptions } from '@waymark/server';
import { expect, onTestFinished } from 'vitest';
import { application, ask, secret, serve } from './serve.ts';

/** One row of the listing of watchers, as far as tests look at it. */
export interface WatcherRow {
  readonly status: string;
  readonly last_tick_at_ms: number | null;
  readonly runs_last_hour: number;
  readonly parked: number;
  readonly [member: string]: unknown;
}

/** An application with a camera, a sensor and models that are scripted, while it is served. */
export interface Yard {
  readonly url: string;
  readonly simulator: Simulator;
  close(): Promise<void>;
  /** Sends a picture; another text is another picture. */
  send(text: string, device?: string): Promise<void>;
  measure(reading: unknown, device?: string): Promise<void>;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  insights(device?: string): Promise<readonly Insight[]>;
  /** Waits for so many insights, and gives them. */
  until(count: number, device?: string): Promise<readonly Insight[]>;
  row(): Promise<WatcherRow>;
  /** Waits until the watcher has ticked so many times more. */
  ticks(count?: number): Promise<void>;
  events(kind: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Options of an application, the models it uses, and variables besides. */
type YardOptions = ApplicationOptions & {
  readonly simulator?: Simulator;
  readonly environment?: Readonly<Record<string, string>>;
};

/** Serves an application until the test is over. @param declare adds agents and watchers to it */
export async function yard(
  declare: (app: Application) => void,
  { simulator: given, environment, ...options }: YardOptions = {},
): Promise<Yard> {
  const simulator = given ?? (await startSimulator({ anonymous: true }));
  if (!given) onTestFinished(simulator.close);
  const app = application(options, environment);
  app
    .apiKey('SHOP_KEY', 'boss', {
      scopes: ['svc:admin', 'devices:ingest', 'devices:read', 'guard', 'open', 'look'],
    })
    .provider('simulator', simulator.url, { kind: 'anthropic' })
    .models({ default: 'simulator/claude-opus-5' })
    .pricing('default', 1, 1)
    .camera('door')
    .sensor('thermo');
  declare(app);
  const { url, close } = await serve(app);
  const post = async (path: string, body: unknown) => (await ask(url + path, { key: secret, body })).body;
  const get = async (path: string) => (await ask(url + path, { key: secret })).body;
  const insights = async (device = 'door') =>
    ((await get(`/devices/${device}/insights`)) as { readonly insights: readonly Insight[] }).insights;
  const row = async () => {
    const { watchers } = (await get('/_svc/watchers')) as { readonly watchers: readonly WatcherRow[] };
    const [first] = watchers;
    if (!first) throw new Error('no watcher is declared');
    return first;
  };
  return {
    ...{ url, simulator, close, insights, row },
    // What is asked for is what the caller says it is.
    get: async <T>(path: string) => (await get(path)) as T,
    post: async <T>(path: string, body: unknown) => (await post(path, body)) as T,
    async send(text, device = 'door') {
      const body = picture(text);
      const headers = { 'x-api-key': secret };
      const { status } = await fetch(`${url}/devices/${device}/frames`, { method: 'POST', headers, body });
      expect(status).toBe(202);
    },
    async measure(reading, device = 'door') {
      await post(`/devices/${device}/telemetry`, reading);
    },
    async until(count, device) {
      await expect.poll(async () => (await insights(device)).length).toBe(count);
      return insights(device);
    },
    async ticks(count = 3) {
      for (let i = 0; i < count; i++) {
        const { last_tick_at_ms: before } = await row();
        await expect.poll(async () => (await row()).last_tick_at_ms).not.toBe(before);
      }
    },
    async events(kind) {
      const found = (await get(`/_svc/audit?kind=${kind}`)) as {
        readonly events: readonly Readonly<Record<string, unknown>>[];
      };
      return found.events;
    },
  };
}

/** A PNG as far as the hub and the simulator read it. */
export function picture(text: string): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(33);
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  header.writeUInt32BE(13, 8);
  header.write('IHDR', 12, 'latin1');
  header.writeUInt32BE(64, 16);
  header.writeUInt32BE(48, 20);
  return new Uint8Array(Buffer.concat([header, Buffer.from(text)]));
}
