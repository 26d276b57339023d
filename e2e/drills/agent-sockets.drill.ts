/**
 * Turns over sockets that are cut at random moments, of a server that is killed at random moments: each is told once, whole and
 * in order, and does once what it does. `CUTS_SEED` and `CUTS_RUNS` (300) set the draw; one run in six kills the server.
 */
import { startSimulator } from '@waymark/model-simulator';
import { expect, it, onTestFinished } from 'vitest';
import { openClientReader } from '../test/cuts/client-reader.ts';
import { startEffects } from '../test/cuts/effects.ts';
import { findBrokenPromises } from '../test/cuts/find-broken-promises.ts';
import { decideAll } from '../test/cuts/humans.ts';
import { MortalServer } from '../test/cuts/mortal-server.ts';
import { openPlainReader, openRepeatingReader } from '../test/cuts/plain-reader.ts';
import { playTalks } from '../test/cuts/play-talks.ts';
import type { OpenReader, Turn } from '../test/cuts/turn-reader.ts';
import { drawTalks } from '../test/cuts/turns.ts';
import { randoms } from '../test/runs/sample.ts';
import { temporaryFolder } from '../test/started-desk.ts';

const seed = Number(process.env['CUTS_SEED'] ?? 1 + Math.floor(Math.random() * 1_000_000));
const count = Number(process.env['CUTS_RUNS'] ?? 300);
const kills = Math.round(count / 6);
const keys = { DESK_KEY: 'desk-secret-of-more-than-16-bytes', BOSS_KEY: 'boss-secret-of-more-than-16-bytes' };

/** Ways to read turns; each goes by the documents. */
const readers: readonly { readonly name: string; readonly open: OpenReader }[] = [
  { name: 'plain ws', open: openPlainReader },
  { name: 'plain ws that sends its turns again', open: openRepeatingReader },
  { name: 'the generated client', open: openClientReader },
];

/** Of the words that a turn hears, the one at which the server is killed. */
const mostWords = 12;
/** Until then, ms. */
const mostDelayMs = 40;

/** Draws the turns that the server does not outlive. @returns told of each thing that happens to a turn */
function drawKills(turns: readonly Turn[], server: MortalServer, random: () => number): (turn: Turn) => void {
  const doomed = turns
    .map((turn) => ({ turn, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, kills);
  const words = new Map(doomed.map(({ turn }) => [turn, 1 + Math.floor(random() * mostWords)]));
  return (turn) => {
    const left = words.get(turn);
    if (left === undefined) return;
    words.set(turn, left - 1);
    if (left > 1) return;
    words.delete(turn);
    setTimeout(() => void server.kill(), random() * mostDelayMs);
  };
}

it.each(readers)(
  `tells ${count} turns to their ends over what is cut and killed, to: $name`,
  async ({ open }) => {
    process.stdout.write(`CUTS_SEED=${seed} CUTS_RUNS=${count}\n`);
    const random = randoms(seed);
    const [models, effects] = [
      await startSimulator({ anonymous: true, maxRequests: 1 }),
      await startEffects(),
    ];
    const server = await MortalServer.start({
      folder: temporaryFolder(onTestFinished),
      env: { ...keys, MODELS: models.url, EFFECTS: effects.url },
    });
    onTestFinished(async () => {
      await server.close();
      await models.close();
      await effects.close();
    });
    const talks = drawTalks(count, 'turn', random);
    const onHeard = drawKills(
      talks.flatMap(({ turns }) => turns),
      server,
      random,
    );
    const stop = decideAll({ url: () => server.url, apiKey: keys.BOSS_KEY, random });
    const played = await playTalks({
      ...{ talks, open, random, onHeard, port: server.port, apiKey: keys.DESK_KEY },
      ...{ atOnce: 8, mostCuts: 8, patienceMs: 240_000 },
    });
    await stop();
    const truth = {
      url: server.url,
      apiKey: keys.DESK_KEY,
      adminKey: keys.BOSS_KEY,
      arrivals: effects.arrivals,
    };
    const { broken, ...report } = await findBrokenPromises(played, truth);
    process.stdout.write(`${JSON.stringify({ ...report, kills: server.kills, cuts: played.cuts })}\n`);
    expect(broken).toEqual([]);
    expect(played.readings.size).toBe(count);
    const cuts = Object.values(played.cuts).reduce((sum, times) => sum + times, 0);
    expect(cuts).toBeGreaterThan(count / 3);
    expect(server.kills).toBeGreaterThan(0.8 * kills);
  },
);
