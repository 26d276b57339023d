import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { logLines } from '../log-lines.ts';
import { startProgram } from '../program.ts';
import { answers } from './answers.ts';
import { startOrigin } from './failing-origin.ts';
import type { LinePlan } from './lines.ts';
import { ask, type Line, type LineEnd, missingAt, plays } from './plays.ts';

/** What came of all lines. */
export interface Played {
  /** What was not as it should be, with the name of the line. */
  readonly faults: readonly string[];
  /** Names of the lines whose failure was met. */
  readonly failed: readonly string[];
  /** What health said, whenever it said something else. */
  readonly health: readonly string[];
}

/** Messages that could not be delivered are sent again within so long: a receiver has 20 s, and the pause is 6 s at most. */
const deliveredMs = 60_000;

const nothing: LineEnd = { wrong: [], noticed: false };

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
    const health = watchHealth(url);
    const ends = lines.map(async (line) => ({
      line,
      ...(line.kind === 'webhook' ? nothing : await plays[line.kind](line, url)),
    }));
    const [missing, ...ended] = await Promise.all([playWebhooks(lines, url), ...ends]);
    const { said, wrong } = await health.end();
    const failed = lines.filter(({ origin }) => origin.hasFailed).map(({ name }) => name);
    program.child.kill('SIGTERM');
    await program.ended();
    const log = logLines(program).map((line) => JSON.stringify(line));
    const isLogged = ({ name, origin }: Line): boolean =>
      log.some((line) => line.includes(origin.url) || line.includes(name));
    const faults = ended.flatMap(({ line, wrong: found, noticed }) =>
      [...found, ...(noticed && !isLogged(line) ? ['the log says nothing of it'] : [])].map(
        (one) => `${line.name}: ${one}`,
      ),
    );
    return { faults: [...faults, ...missing, ...wrong], failed, health: said };
  } finally {
    program.child.kill('SIGTERM');
    await program.ended();
    for (const { origin } of lines) origin.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Runs end, and everybody who wants to know of it is told. */
async function playWebhooks(lines: readonly Line[], url: string): Promise<readonly string[]> {
  const receivers = lines.filter(({ kind }) => kind === 'webhook');
  const well = receivers.find(({ nth }) => nth === 0)?.origin;
  if (!well) return [];
  for (let i = 0; i < 3; i++) {
    const { status } = await ask(`${url}/behaviours/errand`, {
      ...{ method: 'POST', body: '{}' },
      headers: { 'content-type': 'application/json' },
    });
    if (status !== 200) return [`a run was answered ${status}`];
  }
  const missing = (): readonly string[] =>
    receivers.flatMap((line) => missingAt(line, well).map((one) => `${line.name}: ${one}`));
  const untilMs = performance.now() + deliveredMs;
  while ((well.asked.length < 3 || missing().length > 0) && performance.now() < untilMs) await sleep(250);
  return missing();
}

/** Asks health all the time. */
function watchHealth(url: string) {
  const said: string[] = [];
  const wrong: string[] = [];
  let isOver = false;
  const look = async (): Promise<string> => {
    const { status, text, tookMs } = await ask(`${url}/_svc/health`);
    if (tookMs > 5_000) wrong.push(`health: it waited ${Math.round(tookMs)} ms`);
    const body = JSON.parse(text || '{}') as { readonly troubles?: readonly { readonly code: string }[] };
    // That a machine is busy with something else comes of no failure.
    const codes = (body.troubles ?? []).map(({ code }) => code).filter((code) => code !== 'event-loop-slow');
    return `${status} ${codes.join(' ')}`.trim();
  };
  const looking = (async () => {
    while (!isOver) {
      const now = await look();
      if (now !== said.at(-1)) said.push(now);
      await sleep(500);
    }
  })();
  return {
    async end() {
      isOver = true;
      await looking;
      const untilMs = performance.now() + 5_000;
      while ((await look()) !== '200' && performance.now() < untilMs) await sleep(250);
      const last = await look();
      if (last !== '200') wrong.push(`health: ${last} after 5 s`);
      return { said, wrong };
    },
  };
}
