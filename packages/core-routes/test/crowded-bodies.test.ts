import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { bytesBody, route, serve } from './kit.ts';

const served = serve([
  route('POST', '/declared', { input: { text: Type.String() } }, () => null),
  route('POST', '/open', { input: { counts: Type.Record(Type.String(), Type.Number()) } }, () => null),
  route('POST', '/message', { body: 'bytes' }, async (context) => {
    await context.parse(Buffer.from(context.request.body).toString());
    return null;
  }),
  route('POST', '/own', { body: 'bytes' }, (context) =>
    context.inTurns({
      next: () => ({
        done: true,
        value: Object.keys(JSON.parse(Buffer.from(context.request.body).toString())).length,
      }),
    }),
  ),
]);

/** 800 KB, which take tens of milliseconds to parse. */
const members = Array.from({ length: 70_000 }, (_, i) => `"k${i}":1`).join(',');
const body = Buffer.from(`{${members}}`);
const openBody = Buffer.from(`{"counts":{${members}}}`);

it.each([
  ['/declared', 422],
  ['/message', 200],
  ['/own', 200],
])(
  'bodies full of names that come to %s at the same moment hold the process for one at a time',
  async (path, expected) => {
    verifies('http.body.turns');
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { status } = await served.request('POST', path, {
          body: bytesBody(new Uint8Array(body), 'application/json'),
        });
        return { status, turn: turns };
      }),
    );
    isOver = true;
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => expected));
    expect(new Set(answers.map(({ turn }) => turn)).size).toBe(8);
  },
);

it.each([
  ['/open', openBody],
  ['/message', body],
])(
  'one body full of names that comes to %s holds the process for a part of its time alone',
  async (path, sent) => {
    verifies('http.body.turns');
    const busyMs: number[] = [];
    let isOver = false;
    let sinceMs = performance.now();
    const look = (): void => {
      const nowMs = performance.now();
      if (nowMs - sinceMs > 1) busyMs.push(nowMs - sinceMs);
      sinceMs = nowMs;
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    const { status } = await served.request('POST', path, {
      body: bytesBody(new Uint8Array(sent), 'application/json'),
    });
    look();
    isOver = true;
    expect(status).toBe(200);
    // At once it would be nearly all of it.
    expect(Math.max(...busyMs)).toBeLessThan(0.6 * busyMs.reduce((sum, ms) => sum + ms, 0));
  },
);

it('a body with far too many names is read no further than that is known', async () => {
  verifies('http.body.turns');
  // It has no end, which nobody comes to.
  const { status, body: told } = await served.request('POST', '/declared', {
    body: bytesBody(Buffer.from(`{${members},`), 'application/json'),
  });
  expect([status, JSON.stringify(told)]).toEqual([422, expect.stringContaining('"/k0"')]);
});
