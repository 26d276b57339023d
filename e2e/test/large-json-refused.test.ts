import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { createApplication, Type } from '@waymark/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawClient } from './raw-client.ts';

const length = 33_554_432;

/** A route that takes 32 MiB, and a client that has begun to send it a body. */
async function begin(head: readonly string[]) {
  const app = createApplication('large', {
    port: 0,
    env: { LOG_LEVEL: 'silent' },
    allowUnauthenticated: true,
  });
  const input = { a: Type.Optional(Type.Integer()), text: Type.Optional(Type.String()) };
  app.post('/large', { input, maxBodyBytes: length }, ({ a, text }) => ({ a, text: text?.length }));
  const running = await app.listen();
  const client = await rawClient(running.port);
  onTestFinished(async () => {
    client.socket.destroy();
    await running.close();
  });
  client.send(
    ['POST /large HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...head, '', ''].join(
      '\r\n',
    ),
  );
  return client;
}

describe('a JSON body of 32 MiB', () => {
  it.each([
    ['too many values', `{${'"a":1,'.repeat(99_998)}`, '"a":1,', 413, 'more than 100000 values'],
    ['too many levels', `{"a":${'['.repeat(63)}`, '[', 400, 'deeper than 64 levels'],
  ])('is refused as soon as it has %s', async (_, most, oneMore, status, told) => {
    verifies('http.body.refused-as-it-comes');
    const client = await begin([`Content-Length: ${length}`]);
    client.send(most);
    const answered = client.until(1);
    expect(await Promise.race([answered, sleep(200, 'nothing yet')])).toBe('nothing yet');
    client.send(oneMore);
    const [answer] = await answered;
    expect(answer).toMatchObject({ status, headers: { connection: 'close' } });
    expect(answer?.body).toContain(told);
  });

  it('is refused so where nobody said how long it is', async () => {
    const client = await begin(['Transfer-Encoding: chunked']);
    const body = `{${'"a":1,'.repeat(100_000)}`;
    client.send(`${body.length.toString(16)}\r\n${body}\r\n`);
    expect((await client.until(1))[0]).toMatchObject({ status: 413 });
  });

  it('is read where it keeps to its limits', async () => {
    const client = await begin([`Content-Length: ${length}`]);
    const rest = length - '{"a":1,"text":""}'.length;
    client.send(`{"a":1,"text":"${'\\"'.repeat(rest / 2)}${'x'.repeat(rest % 2)}"}`);
    const [answer] = await client.until(1);
    expect(answer).toMatchObject({ status: 200 });
    expect(JSON.parse(answer?.body ?? '')).toEqual({ a: 1, text: Math.floor(rest / 2) + (rest % 2) });
  });
});
