import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** An effect that arrived, with the key it came with. */
export interface Arrival {
  readonly tool: string;
  readonly job: string;
  readonly n: number;
  readonly key: string | null;
}

/** The place where effects happen: it outlives the servers. */
export interface Effects {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  close(): Promise<void>;
}

export async function startEffects(): Promise<Effects> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    void json(request)
      .then((arrival) => arrivals.push(arrival as Arrival))
      // Time to be killed between an effect and its record.
      .then((count) => setTimeout(() => response.end('{}'), 3 + (count % 7)))
      .catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
