import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';

/** A program that listens, started for a visitor. */
export interface Visited {
  readonly port: string;
  /** Tells it to stop; gives its exit code and how long it took, milliseconds. */
  stop(): Promise<{ readonly code: number | null; readonly tookMs: number }>;
}

/** Starts a program on any free port, and kills it when the visit is over or takes too long. */
export async function visit(
  [node = '', ...args]: readonly string[],
  what: (visited: Visited) => Promise<void>,
): Promise<void> {
  const { PATH, NODE_ENV, NODE_COMPILE_CACHE, NEXT_TELEMETRY_DISABLED } = process.env;
  const env = { PATH, NODE_ENV, NODE_COMPILE_CACHE, NEXT_TELEMETRY_DISABLED, PORT: '0' };
  const child = spawn(node, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const giveUp = setTimeout(() => child.kill('SIGKILL'), 60_000);
  try {
    await what({
      port: await portOf(child.stdout, args),
      async stop() {
        const startedMs = performance.now();
        child.kill('SIGTERM');
        const [code] = await exit;
        return { code, tookMs: performance.now() - startedMs };
      },
    });
  } finally {
    clearTimeout(giveUp);
    child.kill('SIGKILL');
  }
}

/** Reads on until the end, since the program may have more to say. */
function portOf(output: Readable, program: readonly string[]): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    output.on('data', (chunk: Buffer) => {
      said += String(chunk);
      const [, port] = /listening on port (\d+)/.exec(said) ?? [];
      if (port !== undefined) resolve(port);
    });
    output.once('end', () => reject(new Error(`${program.join(' ')} ended before it listened: ${said}`)));
  });
}

const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The status of an upgrade that is refused. */
export async function refusalOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const upgrade = request(url, { headers: { ...handshake, ...headers } }).end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    upgrade.once('response', resolve).once('upgrade', resolve).once('error', reject);
  });
  response.destroy();
  return response.statusCode;
}
