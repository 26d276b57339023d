import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { BodyPace, bytesATurn } from '../../src/body/body-pace.ts';
import { PacedRequest } from '../../src/body/paced-request.ts';
import { streamBytes } from '../../src/body/stream-bytes.ts';

it('is closed until the next turn of the event loop, once this one is used up', async () => {
  const pace = new BodyPace();
  expect(pace.take(bytesATurn - 1)).toBe(true);
  expect(pace.take(1)).toBe(false);
  expect(pace.isOpen).toBe(false);
  await nextTurn();
  expect(pace.isOpen).toBe(true);
});

it('is closed once a turn has taken 2 ms since something was read', async () => {
  const pace = new BodyPace();
  const spend = (ms: number): void => {
    const untilMs = performance.now() + ms;
    while (performance.now() < untilMs);
  };
  spend(3);
  expect(pace.take(1)).toBe(true);
  spend(3);
  expect(pace.isOpen).toBe(false);
  expect(pace.take(1)).toBe(false);
  await nextTurn();
  expect(pace.isOpen).toBe(true);
  // Who waits has the time of a turn from its beginning, and the first always gets on.
  const gone: string[] = [];
  for (const name of ['a', 'b'])
    pace.wait({
      cost: 1,
      goOn: () => {
        gone.push(name);
        spend(3);
      },
    });
  spend(3);
  await nextTurn();
  expect(gone).toEqual(['a']);
  await nextTurn();
  expect(gone).toEqual(['a', 'b']);
});

it('lets in a turn as many go on as took no more than a turn has, in their order, and at least one', async () => {
  const pace = new BodyPace();
  const gone: string[] = [];
  for (const [name, cost] of [
    ['a', 10 * bytesATurn],
    ['b', bytesATurn / 2],
    ['c', bytesATurn / 2],
    ['d', 1],
  ] as const)
    pace.wait({ cost, goOn: () => gone.push(name) });
  expect(gone).toEqual([]);
  await nextTurn();
  expect(gone).toEqual(['a']);
  await nextTurn();
  expect(gone).toEqual(['a', 'b', 'c']);
  await nextTurn();
  expect(gone).toEqual(['a', 'b', 'c', 'd']);
});

/** A server that does so with each request. */
async function serve(answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<number> {
  const server = createServer({ IncomingMessage: PacedRequest }, answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

/** What comes in the same turn, and the most that did. */
function counter(): { readonly most: () => number; readonly count: (amount: number) => void } {
  let [inTurn, most] = [0, 0];
  return {
    most: () => most,
    count: (amount) => {
      if (inTurn === 0)
        setImmediate(() => {
          inTurn = 0;
        });
      inTurn += amount;
      most = Math.max(most, inTurn);
    },
  };
}

it('reads large bodies of several 1 MiB in a turn, and all of them', async () => {
  const senders = 4;
  const body = randomBytes(8_388_608);
  const { most, count } = counter();
  const port = await serve((req, res) => {
    const pieces: Buffer[] = [];
    req
      .on('data', (piece: Buffer) => {
        count(piece.length);
        pieces.push(piece);
      })
      .on('end', () => res.end(String(body.equals(Buffer.concat(pieces)))));
  });
  const put = (): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ port, method: 'PUT' }, (res) => {
        res.setEncoding('utf8').on('data', resolve);
      })
        .once('error', reject)
        .end(body);
    });
  expect(await Promise.all(Array.from({ length: senders }, put))).toEqual(Array(senders).fill('true'));
  expect(most()).toBeLessThanOrEqual(bytesATurn + senders * 2 * 65_536);
});

/** A chunked body with a byte in each piece, and what is read of it. */
const crumbs = 60_000;
const inCrumbs = `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(crumbs)}0\r\n\r\n`;

it('reads what comes in crumbs no further than what was read at once', async () => {
  const { most, count } = counter();
  const port = await serve((req, res) => {
    let length = 0;
    req
      .on('data', (piece: Buffer) => {
        count(1);
        length += piece.length;
      })
      .on('end', () => res.end(`${length} bytes`));
  });
  const senders = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
  const answers = senders.map(
    (socket) =>
      new Promise<string>((resolve, reject) => {
        socket.once('data', (bytes) => resolve(String(bytes))).once('error', reject);
        socket.write(inCrumbs);
      }),
  );
  for (const answer of await Promise.all(answers)) expect(answer).toContain(`${crumbs} bytes`);
  for (const socket of senders) socket.destroy();
  // 64 KiB hold 10,923 of them; the first time nobody knows.
  expect(most()).toBeLessThanOrEqual(4 * 10_923 + 10);
});

it('hands on what comes in crumbs in larger pieces, and the first at once', async () => {
  const lengths: number[] = [];
  const port = await serve((req, res) => {
    void (async () => {
      for await (const piece of streamBytes(req).result) lengths.push(piece.length);
      res.end('read');
    })();
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(inCrumbs);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  expect(lengths[0]).toBe(1);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(crumbs);
  expect(lengths.length).toBeLessThan(crumbs / 100);
});

it('leaves alone a stream that was cancelled while pieces of it waited', async () => {
  let cancelled = false;
  const port = await serve((req, res) => {
    const reader = streamBytes(req).result.getReader();
    void reader.read().then(async () => {
      await reader.cancel();
      cancelled = true;
      res.end('enough');
    });
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(inCrumbs);
  await new Promise((resolve) => socket.once('data', resolve));
  await nextTurn();
  expect(cancelled).toBe(true);
  socket.destroy();
});
