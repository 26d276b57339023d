import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { jsonResponse, toErrorResponse } from '@waymark/contract/engine';
import { describe, expect, it } from 'vitest';
import { BodyPace, bodyPace, bytesATurn } from '../../src/body/body-pace.ts';
import { UncollectedBytes } from '../../src/body/uncollected-bytes.ts';
import { openDoor } from '../open-door.ts';

setFlagsFromString('--expose-gc');
const gc: (options?: { type: 'minor' }) => void = runInNewContext('gc');

const mib = 1_048_576;

describe('UncollectedBytes', () => {
  it('counts until V8 has collected all, and again from then on', async () => {
    const uncollected = new UncollectedBytes();
    for (let round = 0; round < 2; round++) {
      uncollected.add(10);
      uncollected.add(20);
      expect(uncollected.bytes).toBe(30);
      gc();
      await expect.poll(() => uncollected.bytes).toBe(0);
    }
  });

  it('is not told by a collection of what is young', async () => {
    const uncollected = new UncollectedBytes();
    uncollected.add(10);
    gc({ type: 'minor' });
    await sleep(50);
    expect(uncollected.bytes).toBe(10);
    gc();
    await expect.poll(() => uncollected.bytes).toBe(0);
  });
});

describe('BodyPace', () => {
  /** How many bodies of a turn each get on in some turns that follow each other at once. */
  async function goneAtOnce(uncollected: number): Promise<number> {
    const pace = new BodyPace();
    pace.uncollected.add(uncollected);
    let gone = 0;
    for (let i = 0; i < 5; i++) pace.wait({ cost: bytesATurn, goOn: () => void gone++ });
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    const atOnce = gone;
    // None is held up for good, although nothing is collected.
    await expect.poll(() => gone).toBe(5);
    return atOnce;
  }

  it('waits between two turns while V8 has 32 MiB and more to collect', async () => {
    expect(await goneAtOnce(32 * mib - 1)).toBe(5);
    expect(await goneAtOnce(32 * mib)).toBeLessThan(5);
  });
});

it.each([
  [mib, mib],
  [mib - 1, 0],
])('of a body of %i bytes that was answered %i are counted', async (bytes, counted) => {
  const { url } = await openDoor([
    {
      method: 'POST',
      path: '/read',
      answer: ({ input }) =>
        input.body.read(mib).then(({ length }) => jsonResponse({ length }), toErrorResponse),
    },
  ]);
  gc();
  await expect.poll(() => bodyPace.uncollected.bytes).toBe(0);
  const answer = await fetch(`${url}/read`, { method: 'POST', body: 'x'.repeat(bytes) });
  expect(await answer.json()).toEqual({ length: bytes });
  await expect.poll(() => bodyPace.uncollected.bytes).toBe(counted);
});
