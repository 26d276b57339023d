import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { expect, it, onTestFinished } from 'vitest';
import { PacedRequest } from '../../src/body/paced-request.ts';
import { endAnswer } from '../../src/response/end-answer.ts';
import { maxLingeringPerAddress } from '../../src/response/lingering.ts';

const head = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
const crumbs = '1\r\nx\r\n'.repeat(5_000);

/** Opens a server that refuses every body before it is sent. @returns its port */
async function refusing(seen: { readonly sockets: Socket[]; errors: number }): Promise<number> {
  const server = createServer({ IncomingMessage: PacedRequest }, (req, res) => {
    seen.sockets.push(req.socket);
    res.statusCode = 401;
    res.shouldKeepAlive = false;
    endAnswer(req, res, 'large', 'no');
  }).listen(0, '127.0.0.1');
  server.on('clientError', () => {
    seen.errors++;
  });
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

it('parses nothing of what comes behind an answer', async () => {
  const seen = { sockets: [] as Socket[], errors: 0 };
  // One that goes on behind the end of its answer.
  const client = connect({ port: await refusing(seen), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  let received = '';
  client.on('data', (bytes) => {
    received += String(bytes);
  });
  client.write(head);
  await expect.poll(() => received).toMatch(/\r\n\r\nno$/);
  client.write('this is no chunk\r\n');
  const [socket] = seen.sockets;
  const { length } = `${head}this is no chunk\r\n`;
  await expect.poll(() => socket?.bytesRead).toBe(length);
  await sleep(20);
  expect(seen.errors).toBe(0);
});

it('reads little of what comes behind an answer, however many send however small pieces', async () => {
  const seen = { sockets: [] as Socket[], errors: 0 };
  const port = await refusing(seen);
  const answers = Array.from({ length: 8 }, () => {
    const client = connect(port, '127.0.0.1').on('error', () => {});
    const pour = (): void => {
      while (client.writable && client.write(crumbs));
    };
    client.write(head);
    client.on('drain', pour);
    pour();
    onTestFinished(() => void client.destroy());
    return new Promise<string>((resolve) => client.once('data', (bytes) => resolve(String(bytes))));
  });
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 401/);
  await sleep(240);
  expect(seen.sockets).toHaveLength(8);
  expect(Math.max(...seen.sockets.map(({ bytesRead }) => bytesRead))).toBeLessThan(393_216);
});

it('keeps no more connections behind their answers than have room, and each has its answer', async () => {
  verifies('http.last-answer.room');
  const seen = { sockets: [] as Socket[], errors: 0 };
  const port = await refusing(seen);
  const count = maxLingeringPerAddress + 16;
  const answers = Array.from({ length: count }, () => {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    client.write(head);
    onTestFinished(() => void client.destroy());
    return new Promise<string>((resolve) => client.once('data', (bytes) => resolve(String(bytes))));
  });
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 401/);
  expect(seen.sockets).toHaveLength(count);
  // Nobody has stayed for a second.
  await expect
    .poll(() => seen.sockets.filter(({ destroyed }) => !destroyed).length, { interval: 5 })
    .toBeLessThanOrEqual(maxLingeringPerAddress);
  expect(seen.sockets.at(-1)?.destroyed).toBe(false);
});
