import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { attachDoor, createDoor, type Door, type DoorOptions } from '../../src/index.ts';
import { fakeDispatcher } from '../fake-dispatcher.ts';
import { keys } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

/** A door with one socket, at `/feed` below where it is mounted. */
function feed(options: Partial<DoorOptions> = {}): Door {
  const dispatcher = fakeDispatcher([{ method: 'GET', path: '/feed', accept: (peer) => peer.send('ours') }]);
  return createDoor({ dispatcher, authenticate: keys, newId: () => 'made', ...options });
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The status of an upgrade, and what the socket says first. */
async function upgrade(url: string): Promise<readonly [number | undefined, string]> {
  const asked = request(url, { headers: handshake }).end();
  const [answer, socket] = await new Promise<[IncomingMessage, Duplex | undefined]>((resolve, reject) => {
    asked.once('response', (response) => resolve([response, undefined]));
    asked.once('upgrade', (response, upgraded, head) => {
      if (head.length > 0) upgraded.unshift(head);
      resolve([response, upgraded]);
    });
    asked.once('error', reject);
  });
  onTestFinished(() => void socket?.destroy());
  if (!socket) return [answer.statusCode, await text(answer)];
  const [frame] = (await once(socket, 'data')) as [Buffer];
  return [answer.statusCode, frame.subarray(2).toString()];
}

describe('a server that a door is attached to', () => {
  it('has the sockets of the door, and no others', async () => {
    verifies('embed.upgrade');
    const server = createServer();
    attachDoor(feed(), server);
    const url = await listening(server);
    expect(await upgrade(`${url}/feed`)).toEqual([101, 'ours']);
    expect(await upgrade(`${url}/other`)).toMatchObject([404, expect.stringContaining('"status":404')]);
  });

  it('keeps its own sockets, even of a library that refuses all it does not know', async () => {
    verifies('embed.upgrade.others');
    const server = createServer();
    const before = new WebSocketServer({ server, path: '/theirs' });
    attachDoor(feed(), server);
    const heard: (string | undefined)[] = [];
    server.on('upgrade', ({ url }: IncomingMessage) => heard.push(url));
    before.on('connection', (socket) => socket.send('theirs'));
    const url = await listening(server);
    expect(await upgrade(`${url}/feed`)).toEqual([101, 'ours']);
    expect(await upgrade(`${url}/theirs`)).toEqual([101, 'theirs']);
    // Nobody in particular: the library's own answer.
    expect((await upgrade(`${url}/other`))[0]).toBe(400);
    expect(heard).toEqual(['/theirs', '/other']);
  });

  it('may have two, each below its own path', async () => {
    verifies('embed.two');
    const server = createServer();
    attachDoor(feed({ mountPath: '/a' }), server);
    attachDoor(feed({ mountPath: '/b' }), server);
    const url = await listening(server);
    expect(await upgrade(`${url}/a/feed`)).toEqual([101, 'ours']);
    expect(await upgrade(`${url}/b/feed`)).toEqual([101, 'ours']);
    expect((await upgrade(`${url}/feed`))[0]).toBe(404);
  });

  it('is closed with its connections, when the last answer of the application is given', async () => {
    verifies('embed.close.connections');
    const slow: ServerResponse[] = [];
    const server = createServer((req, res) => {
      if (req.url === '/slow') slow.push(res);
      else res.end('at once');
    });
    // For ever.
    server.keepAliveTimeout = 0;
    const attachment = attachDoor(feed(), server);
    const url = await listening(server);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const get = async (path: string): Promise<string> => {
      const [response] = (await once(request(url + path, { agent }).end(), 'response')) as [IncomingMessage];
      return text(response);
    };
    expect(await get('/page')).toBe('at once');
    const silent = await rawClient(Number(new URL(url).port));
    const late = get('/slow');
    await expect.poll(() => slow.length).toBe(1);
    const closing = attachment.close(20_000);
    slow[0]?.end('late');
    expect(await late).toBe('late');
    const startedMs = performance.now();
    await closing;
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(await silent.closed()).toBe('');
  });

  it('may be closed already, or never have listened', async () => {
    const never = attachDoor(feed(), createServer());
    await never.close(20_000);
    const server = createServer();
    const attachment = attachDoor(feed(), server);
    await listening(server);
    const closed = once(server, 'close');
    server.close();
    await closed;
    await attachment.close(20_000);
    const racing = createServer();
    const other = attachDoor(feed(), racing);
    await listening(racing);
    const both = other.close(20_000);
    racing.close();
    await both;
  });
});
