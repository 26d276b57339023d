import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A listening proxy. */
export interface RoundRobinProxy {
  readonly url: string;
  /** How many requests each target got, in the order of the targets. */
  readonly counts: readonly number[];
  close(): Promise<void>;
}

/**
 * Passes each request on to the next of several servers, as a load balancer without sticky sessions does, even when
 * they come over one connection. Nothing is changed, the `Host` header included; answers stream, and a caller who
 * goes away takes the request to the server along.
 */
export async function roundRobinProxy(targets: readonly string[]): Promise<RoundRobinProxy> {
  const agent = new Agent({ keepAlive: true });
  const counts = targets.map(() => 0);
  let turn = 0;
  const pass = (req: IncomingMessage, res: ServerResponse): void => {
    const at = turn++ % targets.length;
    counts[at] = (counts[at] ?? 0) + 1;
    const { hostname, port } = new URL(targets[at] ?? '');
    const { method, url: path, rawHeaders: headers } = req;
    const onward = request({ agent, hostname, port, method, path, headers, setHost: false });
    onward.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders).flushHeaders();
      answer.pipe(res);
      // A server that dies in the middle of an answer must not look like one that came to its end.
      answer.on('error', () => res.destroy());
    });
    onward.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  };
  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
