import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findLeak } from './sql-leaks.ts';

/** A proxy that reads along. */
export interface WatchingProxy {
  readonly url: string;
  /** How many answers came, by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** What an answer told of the inside, and what it answered; the first hundred. */
  readonly leaks: readonly string[];
  close(): Promise<void>;
}

/** Passes requests on to a server, and looks through every answer. */
export async function watchingProxy(target: string): Promise<WatchingProxy> {
  const { hostname, port } = new URL(target);
  const statuses = new Map<number, number>();
  const leaks: string[] = [];
  const pass = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', rawHeaders } = req;
    const body = Buffer.concat(await req.toArray());
    const onward = request({ hostname, port, method, path, headers: rawHeaders, setHost: false });
    onward.end(body);
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const bytes = Buffer.concat(await answer.toArray());
    const { statusCode: status = 0, rawHeaders: headers } = answer;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const said = [decoded(path), body.toString(), ...rawHeaders].join('\n');
    const leak = findLeak([bytes.toString(), ...headers].join('\n'), said);
    if (leak !== undefined && leaks.length < 100)
      leaks.push(`"${leak}" for ${method} ${path} ${body.toString()}`);
    res.writeHead(status, headers).end(bytes);
  };
  const server = createServer((req, res) => void pass(req, res).catch(() => res.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ statuses, leaks },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A path that cannot be decoded says what it says. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll('+', ' '));
  } catch {
    return path;
  }
}
