/** Sockets of agents that are cut at random moments, over a server that goes on. */
import { byTier, verifies } from '@waymark/contract/testing';
import { startSimulator } from '@waymark/model-simulator';
import { createApplication } from '@waymark/server';
import { expect, it, onTestFinished } from 'vitest';
import { openClientReader } from './cuts/client-reader.ts';
import { declareDesk } from './cuts/declare-desk.ts';
import { startEffects } from './cuts/effects.ts';
import { findBrokenPromises } from './cuts/find-broken-promises.ts';
import { decideAll } from './cuts/humans.ts';
import { openPlainReader, openRepeatingReader } from './cuts/plain-reader.ts';
import { playTalks } from './cuts/play-talks.ts';
import { drawTalks } from './cuts/turns.ts';
import { randoms } from './runs/sample.ts';

/** Few turns may be cut seldom: CI has those of one draw, drills others each time. */
const drawn = byTier({ quick: 353_393, slow: 353_393, drill: 1 + Math.floor(Math.random() * 1_000_000) });
const seed = Number(process.env['CUTS_SEED'] ?? drawn);
/** `agent-sockets.drill.ts` has 300. */
const count = Number(process.env['CUTS_RUNS'] ?? byTier({ quick: 10, slow: 10, drill: 20 }));
const keys = { DESK_KEY: 'desk-secret-of-more-than-16-bytes', BOSS_KEY: 'boss-secret-of-more-than-16-bytes' };

it.each([
  { who: 'whoever takes up its runs', open: openPlainReader, mostCuts: 10 },
  { who: 'whoever sends its turns again', open: openRepeatingReader, mostCuts: 10 },
  // It waits longer each time that nothing came of a connection, up to 15 s.
  { who: 'the generated client', open: openClientReader, mostCuts: 4 },
])(
  'tells each turn once, whole and in order, to $who, however often it is cut off',
  async ({ open, mostCuts }) => {
    verifies('agent.socket.resume', 'agent.socket.key');
    const random = randoms(seed);
    const [models, effects] = [await startSimulator({ anonymous: true }), await startEffects()];
    onTestFinished(async () => {
      await models.close();
      await effects.close();
    });
    const app = createApplication('cut', { port: 0, env: { LOG_LEVEL: 'silent', ...keys } })
      .apiKey('DESK_KEY', 'desk', { scopes: ['use'] })
      .apiKey('BOSS_KEY', 'boss', { scopes: ['use', 'svc:admin'] });
    const { url, close } = await declareDesk(app, { models: models.url, effects: effects.url }).listen();
    onTestFinished(close);
    const stop = decideAll({ url: () => url, apiKey: keys.BOSS_KEY, random });
    const played = await playTalks({
      ...{ talks: drawTalks(count, 'turn', random), open, random },
      ...{ port: Number(new URL(url).port), apiKey: keys.DESK_KEY },
      ...{ atOnce: 10, mostCuts, patienceMs: 90_000 },
    });
    await stop();
    const truth = { url, apiKey: keys.DESK_KEY, adminKey: keys.BOSS_KEY, arrivals: effects.arrivals };
    const { broken, ...report } = await findBrokenPromises(played, truth);
    process.stdout.write(`CUTS_SEED=${seed}: ${JSON.stringify({ ...report, cuts: played.cuts })}\n`);
    expect(broken).toEqual([]);
    expect(played.readings.size).toBe(count);
    const cuts = Object.values(played.cuts).reduce((sum, times) => sum + times, 0);
    expect(cuts).toBeGreaterThan(count / 3);
  },
);
