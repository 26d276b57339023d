import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { PacedRequest } from '../../src/body/paced-request.ts';
import { endAnswer } from '../../src/response/end-answer.ts';

const head = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
const crumbs = '1\r\nx\r\n'.repeat(5_000);

it('reads little of what comes behind an answer, however many send however small pieces', async () => {
  const sockets: Socket[] = [];
  const server = createServer({ IncomingMessage: PacedRequest }, (req, res) => {
    sockets.push(req.socket);
    res.statusCode = 401;
    res.shouldKeepAlive = false;
    endAnswer(req, res, 'large', 'no');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
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
  expect(sockets).toHaveLength(8);
  expect(Math.max(...sockets.map(({ bytesRead }) => bytesRead))).toBeLessThan(393_216);
});
