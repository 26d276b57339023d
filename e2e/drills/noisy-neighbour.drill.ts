import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attacksOn, nameOf } from '../test/noisy/attacks.ts';
import { lineOf, toTable } from '../test/noisy/table.ts';
import { type Outcome, Trial } from '../test/noisy/trial.ts';

/** Seconds of an attack. */
const promised = 10;
/** The same where fewer will do: whoever is over a bound then is measured for as many as promised. */
const seconds = Number(process.env['NOISY_SECONDS'] ?? promised);
/** A part of the names of those that are wanted: all of them take hours. */
const only = new RegExp(process.env['NOISY_ONLY'] ?? '');
/** `2/8`: each eighth of them, from the second on. All parts are all attacks. */
const [part = 1, parts = 1] = (process.env['NOISY_PART'] ?? '1/1').split('/').map(Number);

/** What is given back is given back by then. */
const minute = 60_000;

describe('a noisy neighbour', () => {
  let trial: Trial;
  const outcomes: Outcome[] = [];
  beforeAll(async () => {
    trial = await Trial.start({ p99Ms: 100, timesQuiet: 5, rssMb: 300 }, 10_000);
  });
  afterAll(async () => {
    console.log(toTable(trial.quiet, outcomes));
    await trial.stop();
  });

  it('is measured with what the image has for memory', () => {
    // Else: apt-get install libjemalloc2
    expect(trial.desk.said()).not.toContain('cannot be preloaded');
  });

  it('costs nobody else their time, their memory or their rows, whatever it does at whichever door', async () => {
    const attacks = (await attacksOn(trial.desk)).filter(
      (attack, i) => i % parts === part - 1 && only.test(nameOf(attack)),
    );
    expect(attacks.length).toBeGreaterThan(0);
    for (const [i, attack] of attacks.entries()) {
      const told = (outcome: Outcome): void => console.log(`${i + 1}/${attacks.length} ${lineOf(outcome)}`);
      outcomes.push(await trial.attackAgain(attack, { ms: seconds * 1000, againMs: promised * 1000, told }));
    }
    const broken = outcomes.filter((one) => one.broken.length > 0);
    expect(broken.map((one) => [nameOf(one.attack), ...one.broken])).toEqual([]);
  });

  it('leaves no memory behind, and health is ok', async () => {
    await sleep(minute);
    expect(trial.growthMb()).toBeLessThan(50);
    expect(await trial.health()).toBe('200 ok');
  });
});
