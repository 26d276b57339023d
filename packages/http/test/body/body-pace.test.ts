import { randomBytes } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { bodyPace, bytesATurn } from '../../src/body/body-pace.ts';
import { collectBytes } from '../../src/body/collect-bytes.ts';

it('lets bodies go on in the next turn of the event loop, once this one is used up', async () => {
  await nextTurn();
  let gone = 0;
  expect(bodyPace.take(bytesATurn - 1, () => gone++)).toBe(false);
  expect(bodyPace.take(1, () => gone++)).toBe(true);
  expect(bodyPace.take(1, () => gone++)).toBe(true);
  expect(gone).toBe(0);
  await nextTurn();
  expect(gone).toBe(2);
  expect(bodyPace.take(1, () => gone++)).toBe(false);
});

it('reads large bodies of several a piece each behind 1 MiB in a turn, and all of them', async () => {
  const senders = 4;
  const body = randomBytes(8_388_608);
  let inTurn = 0;
  let most = 0;
  const server = createServer((req, res) => {
    const take = (bytes: number): undefined => {
      if (inTurn === 0)
        setImmediate(() => {
          inTurn = 0;
        });
      inTurn += bytes;
      most = Math.max(most, inTurn);
    };
    const end = (bytes: Uint8Array): void => void res.end(String(body.equals(bytes)));
    collectBytes(
      req,
      { limit: body.length, announced: undefined, take },
      { arrived: end, failed: (reason) => res.destroy(reason as Error) },
    );
  }).listen(0);
  const { port } = server.address() as AddressInfo;
  const answers = Array.from(
    { length: senders },
    () =>
      new Promise<string>((resolve, reject) => {
        const req = request({ port, method: 'PUT' }, (res) => {
          res.setEncoding('utf8').on('data', resolve);
        });
        req.once('error', reject).end(body);
      }),
  );
  expect(await Promise.all(answers)).toEqual(Array(senders).fill('true'));
  expect(most).toBeLessThanOrEqual(bytesATurn + senders * 2 * 65_536);
  server.close();
});
