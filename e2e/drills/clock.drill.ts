/**
 * The clock of a started server, and of the database in it, is set by an hour and back while agents, behaviours, flows,
 * conversations and humans are at work. What cameras and their readers notice is in `e2e/test/clock-steps.e2e.ts`.
 * `CLOCK_ROUNDS=20` sets it so often.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FaultedDesk, unharmedScenario } from '../test/faults/faulted-desk.ts';
import { isWell } from '../test/faults/play-faults.ts';

const hour = 3_600;
const rounds = Number(process.env['CLOCK_ROUNDS'] ?? 6);

/** Milliseconds behind the beginning of a play, another one each time. */
const moment = (round: number): number => 50 + ((round * 370) % 2_200);

describe.each([hour, -hour])('a server whose clock is set by %i s', (by) => {
  it('hangs nowhere, loses nothing, and is well all the time', async () => {
    const desk = await FaultedDesk.start(unharmedScenario);
    if (!desk) throw new Error('this drill needs Linux and a C compiler');
    const unwell: string[] = [];
    const watched = new AbortController();
    const watching = (async () => {
      while (!watched.signal.aborted) {
        const health = await desk.health();
        if (!isWell(health)) unwell.push(JSON.stringify(health.troubles));
        await sleep(200);
      }
    })();
    for (let round = 0; round < rounds; round++)
      for (const to of [by, 0]) {
        const playing = desk.play(`the clock of round ${round}`);
        await sleep(moment(round));
        desk.clock.set(to);
        await playing;
      }
    watched.abort();
    await watching;
    const faults = await desk.close();
    process.stdout.write(`set by ${by} s and back ${rounds} times: ${faults.length} faults\n`);
    for (const fault of faults) process.stdout.write(`${fault}\n`);
    expect(faults).toEqual([]);
    expect(unwell).toEqual([]);
  });
});
