// Runs one contestant as long as it is told: `in-process.ts <module> <models> <folder>`.
import { serveParent } from './child.ts';
import { input, type MakeRun, output } from './question.ts';

/** How long, and how many at once. */
export interface Turn {
  readonly ms: number;
  readonly inFlight: number;
}

/** What the runs of one turn took. */
export interface TurnCost {
  /** User and system time of the whole process for each run, of the best window. */
  readonly cpuMicros: number;
  readonly perSecond: number;
}

const [, , module = '', modelsUrl = '', folder = ''] = process.argv;
const { makeRun } = (await import(module)) as { readonly makeRun: MakeRun };
const run = await makeRun(modelsUrl, folder);

/** On a machine that others use, a whole turn is seldom undisturbed: the best window counts. */
const windowMs = 100;

/** Ends of runs in a window for each lane: what began before it and what ends behind it must not matter. */
const generations = 4;

async function take({ ms, inFlight }: Turn): Promise<TurnCost> {
  const startedMs = performance.now();
  const first = { ms: startedMs, cpuMicros: cpuMicros(), runs: 0 };
  let opened = first;
  let least = Number.POSITIVE_INFINITY;
  let runs = 0;
  const onEnd = (): void => {
    runs++;
    const nowMs = performance.now();
    if (nowMs - opened.ms < windowMs || runs - opened.runs < generations * inFlight) return;
    const closed = { ms: nowMs, cpuMicros: cpuMicros(), runs };
    least = Math.min(least, (closed.cpuMicros - opened.cpuMicros) / (closed.runs - opened.runs));
    opened = closed;
  };
  const lane = async (): Promise<void> => {
    do {
      const said = await run(input);
      if (said !== output) throw new Error(`it said ${JSON.stringify(said)}`);
      onEnd();
    } while (performance.now() - startedMs < ms);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const whole = (cpuMicros() - first.cpuMicros) / runs;
  const seconds = (performance.now() - startedMs) / 1000;
  return { cpuMicros: Math.min(least, whole), perSecond: runs / seconds };
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

serveParent<TurnCost>(await take({ ms: 0, inFlight: 1 }), take);
