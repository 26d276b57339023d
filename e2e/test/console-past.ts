import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startSimulator } from '@waymark/model-simulator';
import type { Application } from '@waymark/server';
import { createExample } from '../../apps/server/example/application.ts';
import { keys } from './console-desk.ts';

/** What its watcher of the lobby concludes. */
export const sighting = 'A door stands open.';

/** The reference application before its journey: on the same database, with models that cost and a receiver that is gone. */
export interface Past {
  readonly database: Application['database'];
  post(path: string, body: object, key?: string): Promise<Readonly<Record<string, unknown>>>;
  get(path: string): Promise<Readonly<Record<string, unknown>>>;
  /** Sends a picture as the camera of the lobby. */
  send(picture: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** Has the reference application live in a folder, until it has done all of `live`. */
export function livedBefore(live: (past: Past) => Promise<void>): (folder: string) => Promise<void> {
  return async (folder) => {
    const simulator = await startSimulator({
      anonymous: true,
      script: ({ system }) =>
        system.includes('You look through a camera') ? `[[say ${sighting}]]` : undefined,
    });
    const receiver = createServer((req, res) => {
      req.resume();
      res.writeHead(410).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    mkdirSync(join(folder, '.waymark'), { mode: 0o700 });
    const app = createExample(
      {
        ...{ port: 0, database: `sqlite://${join(folder, '.waymark/support-desk.db')}` },
        env: { ...keys, LOG_LEVEL: 'error', SIGHTINGS_SECRET: `whsec_${'c2VjcmV0'.repeat(4)}` },
      },
      { sightingsUrl: `http://127.0.0.1:${port}/` },
    );
    app
      .provider('simulator', simulator.url, { kind: 'anthropic' })
      .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' })
      .pricing('default', 5, 25)
      .pricing('fast', 1, 5);
    const { url, close } = await app.listen();
    const ask = async (
      path: string,
      body: string | Uint8Array<ArrayBuffer> | undefined,
      headers: Readonly<Record<string, string>>,
    ) =>
      (
        await fetch(url + path, { headers, ...(body !== undefined && { method: 'POST', body }) })
      ).json() as Promise<Readonly<Record<string, unknown>>>;
    const json = { 'content-type': 'application/json' };
    try {
      await live({
        database: app.database,
        get: (path) => ask(path, undefined, { 'x-api-key': keys.OPERATOR_KEY }),
        post: (path, body, key = keys.OPERATOR_KEY) =>
          ask(path, JSON.stringify(body), { 'x-api-key': key, ...json }),
        send: async (picture) => {
          await ask('/devices/lobby/frames', picture, {
            'x-api-key': keys.DEVICE_KEY,
            'content-type': 'image/png',
          });
        },
      });
    } finally {
      await close();
      await simulator.close();
      receiver.close().closeAllConnections();
    }
  };
}
