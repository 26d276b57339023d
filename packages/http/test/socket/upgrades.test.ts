import { once } from 'node:events';
import { HTTPError } from '@waymark/contract';
import {
  jsonResponse,
  type Peer,
  parseQuery,
  problemResponse,
  RouteResponse,
} from '@waymark/contract/engine';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { deferred } from '../deferred.ts';
import type { FakeRoute } from '../fake-dispatcher.ts';
import { type OpenDoor, openDoor } from '../open-door.ts';
import { rawClient } from '../raw-client.ts';

const echo: FakeRoute = {
  method: 'GET',
  path: '/echo',
  accept: (peer) => void peer.onMessage((message) => peer.send(message)),
};

/** A `ws` client that ends with the test. */
function dial({ port }: OpenDoor, path: string, headers: Record<string, string> = {}): WebSocket {
  const ws = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
  // Being refused and being cut are told by other events too.
  ws.on('error', () => {});
  onTestFinished(() => ws.terminate());
  return ws;
}

async function openSocket(
  door: OpenDoor,
  path: string,
  headers?: Record<string, string>,
): Promise<WebSocket> {
  const ws = dial(door, path, headers);
  await once(ws, 'open');
  return ws;
}

const handshake = (path: string, ...more: string[]) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    ...(more.some((line) => /^sec-websocket-version/i.test(line)) ? [] : ['Sec-WebSocket-Version: 13']),
    ...(more.some((line) => /^sec-websocket-key/i.test(line))
      ? []
      : ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']),
    ...more,
    '\r\n',
  ].join('\r\n');

async function refusal(
  door: OpenDoor,
  request: string,
): Promise<{ status: number; head: string; problem: unknown }> {
  const client = await rawClient(door.port);
  client.send(request);
  client.socket.on('end', () => client.socket.end());
  const [head = '', body = ''] = (await client.closed()).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, problem: body === '' ? undefined : JSON.parse(body) };
}

describe('an upgrade', () => {
  it('opens a socket, with the request id on the 101', async () => {
    const door = await openDoor([echo]);
    const ws = dial(door, '/echo', { 'x-request-id': 'mine' });
    const [[response]] = (await Promise.all([once(ws, 'upgrade'), once(ws, 'open')])) as unknown as [
      [{ headers: Record<string, string> }],
    ];
    expect(response.headers['x-request-id']).toBe('mine');
    expect(response.headers['sec-websocket-extensions']).toBeUndefined();
    ws.send('hello');
    expect(String(((await once(ws, 'message')) as [Buffer])[0])).toBe('hello');
    expect(door.door.sockets).toBe(1);
    expect(door.dispatcher.calls[0]).toMatchObject({
      via: 'socket',
      requestId: 'mine',
      input: { by: 'request' },
    });
    const line = await door.logged(({ message }) => message === 'upgrade');
    expect(line.fields).toMatchObject({ status: 101, path: '/echo', request_id: 'mine' });
  });

  it('is refused with a status, a problem document and a closed connection', async () => {
    verifies('auth.upgrade.authenticated');
    const door = await openDoor([
      echo,
      { method: 'GET', path: '/page' },
      {
        method: 'GET',
        path: '/reads',
        accept: () => {},
        answer: ({ input }) => jsonResponse(parseQuery(input.search).length),
      },
      {
        method: 'GET',
        path: '/closed',
        accept: () => {},
        answer: () => problemResponse(403, 'missing scope', { code: 'scope' }, { 'x-more': '1' }),
      },
    ]);
    const cases: readonly (readonly [string, number, string])[] = [
      [handshake('/nothing'), 404, 'nothing is served at this path'],
      [handshake('/page'), 400, 'this path is no WebSocket: ask for it without an upgrade'],
      [handshake('/%zz'), 400, 'the path cannot be read'],
      [handshake('/page').replace('GET', 'POST'), 400, 'a WebSocket is opened with GET'],
      [handshake('/page').replace('GET', 'OPTIONS'), 400, 'a WebSocket is opened with GET'],
      [handshake('/echo', 'x-api-key: wrong'), 401, 'the credential is not valid'],
      [handshake('/reads?a=%zz'), 400, 'the query is not valid percent-encoding'],
      [handshake('/closed?a=%zz', 'x-api-key: good'), 403, 'missing scope'],
      [handshake('/_svc/anything'), 403, 'the control plane has no guard: give the door a `controlRule`'],
      [handshake('/echo', 'Host: b'), 400, 'a request needs one Host header'],
      [handshake('/echo', 'Sec-WebSocket-Version: 7'), 426, 'the WebSocket version must be 13'],
      [handshake('/echo', 'Sec-WebSocket-Key: short'), 400, 'the WebSocket handshake is not valid'],
      [handshake('/closed'), 403, 'missing scope'],
    ];
    for (const [request, status, detail] of cases) {
      const refused = await refusal(door, request);
      expect(refused.status, request).toBe(status);
      expect(refused.problem).toMatchObject({ status, detail, request_id: expect.any(String) as string });
      expect(refused.head).toMatch(/connection: close/i);
      expect(refused.head).toContain('x-request-id: ');
    }
    expect((await refusal(door, handshake('/closed'))).head).toContain('x-more: 1');
    expect((await refusal(door, handshake('/echo', 'x-api-key: wrong'))).head).toContain(
      'www-authenticate: ',
    );
    expect(door.door.sockets).toBe(0);
  });

  it('that is refused with a stream is answered without it', async () => {
    const cancelled = deferred<unknown>();
    const stream = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve(true) });
    const door = await openDoor([
      {
        method: 'GET',
        path: '/s',
        accept: () => {},
        answer: () => new RouteResponse(409, { kind: 'stream', stream, mediaType: 'a/b' }),
      },
    ]);
    expect(await refusal(door, handshake('/s'))).toMatchObject({ status: 409, problem: undefined });
    expect(await cancelled.promise).toBe(true);
  });

  it('that cannot be answered as it should is a plain 500, the cause in the log', async () => {
    const door = await openDoor([
      {
        method: 'GET',
        path: '/h',
        accept: () => {},
        answer: () => problemResponse(403, 'a', {}, { 'x-a': 'b\nc' }),
      },
      {
        method: 'GET',
        path: '/t',
        accept: () => {},
        answer: () => {
          throw new Error('broken');
        },
      },
    ]);
    for (const path of ['/h', '/t']) {
      const refused = await refusal(door, handshake(path));
      expect(refused).toMatchObject({ status: 500, problem: { detail: 'internal error' } });
    }
    expect(door.logs.filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it('to something else than a WebSocket is a plain request', async () => {
    const door = await openDoor([{ method: 'GET', path: '/page' }]);
    const client = await rawClient(door.port);
    client.send(
      'GET /page HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n',
    );
    const supported = Number(process.versions.node.split('.')[0]) >= 24;
    // Before Node 24.9 there is no way to decline; such a client is told what would work.
    expect(await client.until(/\r\n\r\n/)).toMatch(supported ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 4/);
  });

  it('is not opened for a client that left meanwhile', async () => {
    const asked = deferred<void>();
    const go = deferred<void>();
    const accepted: Peer[] = [];
    const door = await openDoor([
      { method: 'GET', path: '/slow', accept: (peer) => void accepted.push(peer) },
    ]);
    const { upgrade } = door.dispatcher;
    door.dispatcher.upgrade = async (call) => {
      asked.resolve();
      const { signal } = call;
      await go.promise;
      expect(signal?.aborted).toBe(true);
      return upgrade(call);
    };
    const client = await rawClient(door.port);
    client.send(handshake('/slow'));
    await asked.promise;
    client.socket.resetAndDestroy();
    // The reset has arrived when another connection is served.
    await rawClient(door.port).then((other) => {
      other.send('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n');
      return other.until(/404/);
    });
    go.resolve();
    expect((await door.logged(({ message }) => message === 'upgrade')).fields['aborted']).toBe(true);
    expect(accepted).toHaveLength(0);
    expect(door.door.sockets).toBe(0);
  });
});

describe('access_token', () => {
  const who: FakeRoute = {
    method: 'GET',
    path: '/who',
    accept: (peer, { principal, input }) =>
      peer.send(JSON.stringify([principal.id, input.by === 'request' && input.search])),
  };

  async function ask(path: string, headers?: Record<string, string>): Promise<unknown> {
    const ws = dial(await openDoor([who]), path, headers);
    const [data] = (await once(ws, 'message')) as [Buffer];
    return JSON.parse(data.toString());
  }

  it('identifies an upgrade, and is gone from the query', async () => {
    verifies('auth.upgrade.authenticated', 'auth.upgrade.access-token', 'authority.access-token.removed');
    expect(await ask('/who?a=1&access_token=good&b=2')).toEqual(['alice', 'a=1&b=2']);
    expect(await ask('/who?a=%41&%61ccess_token=good&b')).toEqual(['alice', 'a=%41&b']);
  });

  it('counts for nothing beside a header, and is gone all the same', async () => {
    verifies('auth.upgrade.header-first');
    expect(await ask('/who?access_token=wrong', { 'x-api-key': 'good' })).toEqual(['alice', '']);
    const door = await openDoor([who]);
    expect((await refusal(door, handshake('/who?access_token=good', 'x-api-key: wrong'))).status).toBe(401);
    expect((await refusal(door, handshake('/who?access_token=good', 'Authorization: Bearer x'))).status).toBe(
      401,
    );
  });

  it('that is wrong, or there twice, is 401', async () => {
    const door = await openDoor([who]);
    expect((await refusal(door, handshake('/who?access_token=wrong'))).status).toBe(401);
    expect((await refusal(door, handshake('/who?access_token=good&access_token=good'))).status).toBe(401);
  });

  it('is in no log line', async () => {
    const door = await openDoor([who]);
    await refusal(door, handshake('/who?access_token=secret1'));
    await openSocket(door, '/who?access_token=good');
    expect(JSON.stringify(door.logs)).not.toMatch(/secret1|access_token/);
  });
});

describe('an open socket', () => {
  it('takes messages up to the limit of its admission: under, at, over', async () => {
    const door = await openDoor([{ ...echo, maxMessageBytes: 10 }]);
    for (const [bytes, outcome] of [
      [9, 'echo'],
      [10, 'echo'],
      [11, 1009],
    ] as const) {
      const ws = await openSocket(door, '/echo');
      ws.send('x'.repeat(bytes));
      const end = await Promise.race([
        once(ws, 'message').then(() => 'echo'),
        once(ws, 'close').then(([code]) => code as number),
      ]);
      expect(end, `${bytes} bytes`).toBe(outcome);
    }
  });

  it('that was refused is not read on, and its client has heard why', async () => {
    verifies('http.last-answer.socket');
    const door = await openDoor([echo]);
    const client = await rawClient(door.port);
    let isReset = false;
    client.socket.on('error', () => {
      isReset = true;
    });
    client.send(handshake('/none'));
    client.send(Buffer.alloc(64_000_000));
    expect(await client.closed()).toMatch(/^HTTP\/1.1 404 /);
    expect(isReset).toBe(true);
  });

  it.each([
    ['a broken frame', 11, 1009],
    ['a message that a listener throws at', 10, 1011],
  ])('is not read on behind %s, and cut a second later', async (_, bytes, code) => {
    verifies('http.last-answer.socket');
    const accept = (peer: Peer): void =>
      void peer.onMessage(() => {
        throw new Error('at message');
      });
    const door = await openDoor([{ ...echo, accept, maxMessageBytes: 10 }]);
    const client = await rawClient(door.port);
    let isReset = false;
    client.socket.on('error', () => {
      isReset = true;
    });
    client.send(handshake('/echo'));
    await client.until(/101/);
    const startMs = performance.now();
    const header = (length: number): Buffer => Buffer.from([0x82, 0x80 | length, 0, 0, 0, 0]);
    const next = Buffer.concat([header(10), Buffer.alloc(10)]);
    client.send(Buffer.concat([header(bytes), Buffer.alloc(bytes), Buffer.alloc(64_000_000, next)]));
    const received = await client.closed();
    expect(received).toMatch(new RegExp(`\\x88.${String.fromCharCode(code >> 8, code & 255)}`, 's'));
    expect(isReset).toBe(true);
    expect(performance.now() - startMs).toBeGreaterThan(900);
    await expect.poll(() => door.door.sockets).toBe(0);
  });

  it('is closed with 1011 when the code behind it throws, and the cause is logged', async () => {
    const door = await openDoor([
      {
        method: 'GET',
        path: '/accept',
        accept: () => {
          throw new Error('at accept');
        },
      },
      {
        method: 'GET',
        path: '/message',
        accept: (peer) =>
          void peer.onMessage(() => {
            throw new Error('at message');
          }),
      },
    ]);
    for (const path of ['/accept', '/message']) {
      const ws = await openSocket(door, path);
      if (path === '/message') ws.send('go');
      const [code] = (await once(ws, 'close')) as [number];
      expect(code).toBe(1011);
    }
    expect(
      door.logs.filter(({ level }) => level === 'error').map(({ fields }) => String(fields['error'])),
    ).toEqual(['Error: at accept', 'Error: at message']);
  });

  it('survives a reset by its client', async () => {
    const closed = deferred<number>();
    const door = await openDoor([
      { method: 'GET', path: '/s', accept: (peer) => void peer.onClose(closed.resolve) },
    ]);
    const client = await rawClient(door.port);
    client.send(handshake('/s'));
    await client.until(/101/);
    client.socket.resetAndDestroy();
    expect(await closed.promise).toBe(1006);
    expect(door.door.sockets).toBe(0);
  });

  it('closes with 1001 when the door drains, and no other is opened then', async () => {
    verifies('http.shutdown.sockets');
    const door = await openDoor([echo]);
    const ws = await openSocket(door, '/echo');
    const closed = once(ws, 'close') as Promise<[number, Buffer]>;
    door.door.drain();
    const [code, reason] = await closed;
    expect([code, reason.toString()]).toEqual([1001, 'the server is shutting down']);
    expect((await refusal(door, handshake('/echo'))).status).toBe(503);
  });

  it('that was being admitted when the door began to drain is refused', async () => {
    const peers: Peer[] = [];
    const door = await openDoor([{ method: 'GET', path: '/s', accept: (peer) => void peers.push(peer) }]);
    const { upgrade } = door.dispatcher;
    door.dispatcher.upgrade = (call) => {
      door.door.drain();
      return upgrade(call);
    };
    expect((await refusal(door, handshake('/s'))).status).toBe(503);
    expect(peers).toHaveLength(0);
  });

  it('is cut when it does not answer the closing handshake', async () => {
    const door = await openDoor([echo]);
    const client = await rawClient(door.port);
    client.send(handshake('/echo'));
    await client.until(/101/);
    await door.door.closeSockets(1);
    expect(door.door.sockets).toBe(0);
    await client.closed();
  });
});

describe('the control rule', () => {
  it('is asked about upgrades too', async () => {
    const door = await openDoor([{ method: 'GET', path: '/_svc/live', accept: () => {} }], {
      controlRule: ({ principal }) => (principal.id === 'alice' ? undefined : new HTTPError(401, 'no')),
    });
    expect((await refusal(door, handshake('/_svc/live'))).status).toBe(401);
    await openSocket(door, '/_svc/live?access_token=good');
    expect(door.door.sockets).toBe(1);
  });
});
