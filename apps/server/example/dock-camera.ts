import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { movingPicture } from './moving-picture.ts';

/** A camera on this machine that waits to be asked. */
export interface DockCamera {
  /** Its picture as it is now. */
  readonly url: string;
  /** POST: it fails for so many seconds, and is well again by itself. */
  readonly failUrl: string;
  close(): void;
}

/** Starts the camera of the loading dock: a picture for whoever asks, unless somebody told it to fail. */
export async function startDockCamera(): Promise<DockCamera> {
  let failsUntilMs = 0;
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://dock');
    if (req.method === 'POST' && pathname === '/fail') {
      req.resume();
      const seconds = Number(searchParams.get('seconds') ?? 30);
      failsUntilMs = performance.now() + 1_000 * seconds;
      res.end(JSON.stringify({ camera: 'dock', fails_for_seconds: seconds }));
    } else if (performance.now() < failsUntilMs) res.writeHead(500).end();
    else if (pathname === '/still.png')
      res.setHeader('content-type', 'image/png').end(movingPicture(Date.now()));
    else res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url: `${url}/still.png`,
    failUrl: `${url}/fail?seconds=30`,
    close: () => server.close().closeAllConnections(),
  };
}
