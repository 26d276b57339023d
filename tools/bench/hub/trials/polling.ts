import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { withHubs } from '../hubs.ts';
import { device, keys } from '../jobs.ts';
import { printTable, type Trial } from './trial.ts';

/** What it takes on the wire to ask for a frame of 50 KB that somebody has already. */
export const polling: Trial = async ({ load }) =>
  withHubs(['waymark'], async (hubs) => {
    const hub = hubs.get('waymark');
    if (!hub) return [];
    // Leaves a frame behind.
    await load.run({ kind: 'check', hub: { url: hub.url, wire: hub.wire } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const whole = await ask(hub.url, agent, {});
    const again = await ask(hub.url, agent, { 'if-none-match': whole.etag });
    agent.destroy();
    if (whole.status !== 200 || again.status !== 304)
      throw new Error(`latest answered ${whole.status}, then ${again.status}`);
    printTable(
      'latest, 50 KB',
      ['bytes'],
      [
        ['200', String(whole.bytes)],
        ['304', String(again.bytes)],
      ],
    );
    return [{ name: 'hub-unchanged-latest', measured: again.bytes / whole.bytes, op: '<=', target: 0.01 }];
  });

async function ask(
  url: string,
  agent: Agent,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly etag: string; readonly bytes: number }> {
  const path = new URL(`/devices/${device}/latest`, url);
  const request = get(path, { agent, headers: { 'x-api-key': keys.read, ...headers } });
  const [socket] = (await once(request, 'socket')) as [Socket];
  const before = socket.bytesRead;
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  const { statusCode = 0, headers: answered } = response;
  return { status: statusCode, etag: answered.etag ?? '', bytes: socket.bytesRead - before };
}
