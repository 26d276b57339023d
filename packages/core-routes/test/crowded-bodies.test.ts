import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { bytesBody, route, serve } from './kit.ts';

const served = serve([route('POST', '/x', { input: { text: Type.String() } }, () => null)]);

/** 800 KB, which take tens of milliseconds to parse. */
const body = Buffer.from(`{${Array.from({ length: 70_000 }, (_, i) => `"k${i}":1`).join(',')}}`);

it('bodies that are full of names and come at the same moment hold the process for one of them at a time', async () => {
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
      const { status } = await served.request('POST', '/x', {
        body: bytesBody(new Uint8Array(body), 'application/json'),
      });
      return { status, turn: turns };
    }),
  );
  isOver = true;
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 422));
  expect(new Set(answers.map(({ turn }) => turn)).size).toBe(8);
});
