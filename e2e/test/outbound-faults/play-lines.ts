import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { logLines } from '../log-lines.ts';
import { startProgram } from '../program.ts';
import { answers } from './answers.ts';
import { startOrigin } from './failing-origin.ts';
import { type LinePlan, toldWithinMs } from './lines.ts';
import { ask, type Line, type LineEnd, missingAt, plays } from './plays.ts';
import { HealthWatch } from './watch-health.ts';

/** What came of all lines. */
export interface Played {
  /** What was not as it should be, with the name of the line. */
  readonly faults: readonly string[];
  /** Names of the lines whose failure was met. */
  readonly failed: readonly string[];
}

/** Messages that could not be delivered are sent again within so long: a receiver has 20 s, and the pause is 6 s at most. */
const deliveredMs = 60_000;

/** Plays lines side by side, at one server. */
export async function playLines(plans: readonly LinePlan[]): Promise<Played> {
  const cwd = mkdtempSync(join(tmpdir(), 'outbound-'));
  const lines: readonly Line[] = await Promise.all(
    plans.map(async (plan) => ({ ...plan, origin: await startOrigin(plan, answers[plan.kind]) })),
  );
  const facts = lines.map(({ kind, name, origin: { url } }) => ({ kind, name, url }));
  const env = { LOG_LEVEL: 'warn', LINES: JSON.stringify(facts) };
  const program = startProgram('e2e/test/programs/outbound-desk.ts', { cwd, env });
  try {
    const [, url = ''] = await program.saying(/url (\S+)/);
    for (const { origin } of lines) origin.begin();
    const health = new HealthWatch(url, lines);
    const told = playWebhooks(lines, url);
    const ends = lines.map(async (line) => {
      const end = line.kind === 'webhook' ? await told(line) : await plays[line.kind](line, url);
      return { line, wellMs: performance.now(), ...end };
    });
    const ended = await Promise.all(ends);
    const wrong = await health.end();
    const failed = lines.filter(({ origin }) => origin.failedMs !== undefined).map(({ name }) => name);
    program.child.kill('SIGTERM');
    await program.ended();
    // What health says is in the log as well: here it is about who was answered.
    const log = logLines(program)
      .filter(({ code }) => !String(code).endsWith('-failing'))
      .map((line) => JSON.stringify(line));
    const isLogged = ({ name, origin }: Line): boolean =>
      log.some((line) => line.includes(origin.url) || line.includes(name));
    const faults = ended.flatMap(({ line, wellMs, wrong: found, noticed }) =>
      [
        ...found,
        ...(noticed && !isLogged(line) ? ['the log says nothing of it'] : []),
        ...health.complaintsOf(line, wellMs),
      ].map((one) => `${line.name}: ${one}`),
    );
    return { faults: [...faults, ...wrong], failed };
  } finally {
    program.child.kill('SIGTERM');
    await program.ended();
    for (const { origin } of lines) origin.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Runs end, and everybody who wants to know of it is told. */
function playWebhooks(lines: readonly Line[], url: string): (line: Line) => Promise<LineEnd> {
  const well = lines.find(({ kind, nth }) => kind === 'webhook' && nth === 0)?.origin;
  const ran = (async (): Promise<readonly string[]> => {
    for (let i = 0; i < 3; i++) {
      const { status } = await ask(`${url}/behaviours/errand`, {
        ...{ method: 'POST', body: '{}' },
        headers: { 'content-type': 'application/json' },
      });
      if (status !== 200) return [`a run was answered ${status}`];
    }
    return [];
  })();
  return async (line) => {
    const wrong = await ran;
    if (!well || wrong.length > 0) return { wrong, noticed: false };
    const missing = (): readonly string[] => missingAt(line, well);
    // What arrived and was not taken is sent again.
    const isHeardAgain = line.failure !== 'refused' && toldWithinMs(line) !== undefined;
    const isOver = (): boolean =>
      well.asked.length >= 3 && missing().length === 0 && (!isHeardAgain || line.origin.asked.length > 3);
    const untilMs = performance.now() + deliveredMs;
    while (!isOver() && performance.now() < untilMs) await sleep(100);
    return { wrong: isOver() ? [] : [...missing(), 'it was not sent again'], noticed: false };
  };
}
