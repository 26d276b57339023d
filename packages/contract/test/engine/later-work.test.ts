import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LaterWork, noteAccepted } from '../../src/engine/index.ts';

/** Turns of the event loop until work was done that was asked for now. */
async function turnsUntilDone(isAccepting: (turn: number) => boolean): Promise<number> {
  let isDone = false;
  new LaterWork(() => {
    isDone = true;
  }).await();
  for (let turn = 1; ; turn++) {
    if (isAccepting(turn)) noteAccepted();
    await nextTurn();
    if (isDone) return turn;
  }
}

it.each([
  ['in the next turn where no connection comes', () => false, 1],
  ['one turn later where one comes, or came in this one', (turn: number) => turn === 1, 2],
  ['behind the last one of those that come', (turn: number) => turn <= 9, 10],
  ['16 turns later where they do not end', () => true, 17],
])('is done %s', async (_, isAccepting, turns) => {
  expect(await turnsUntilDone(isAccepting)).toBe(turns);
});

it('is put off for no longer by what was put off before', async () => {
  expect([await turnsUntilDone(() => true), await turnsUntilDone(() => true)]).toEqual([17, 17]);
  expect(await turnsUntilDone(() => false)).toBe(1);
});
