import { setTimeout as sleep } from 'node:timers/promises';
import { type Cut, drawCut, nameOf } from './cut.ts';
import { openCuttingProxy } from './cutting-proxy.ts';
import type { OpenReader, Reading, Turn, TurnReader } from './turn-reader.ts';
import type { Talk } from './turns.ts';

/** What talks are played with. */
export interface PlayOptions {
  readonly talks: readonly Talk[];
  readonly open: OpenReader;
  /** Of the service. */
  readonly port: number;
  readonly apiKey: string;
  readonly random: () => number;
  /** Talks at once. */
  readonly atOnce: number;
  /** Connections of one talk that are cut, at most. */
  readonly mostCuts: number;
  /** How long a turn may take, ms. */
  readonly patienceMs: number;
  /** Told of each thing that happens to a turn. */
  readonly onHeard?: (turn: Turn) => void;
}

/** What came of talks. */
export interface Played {
  readonly readings: ReadonlyMap<Turn, Reading>;
  /** Turns that were told no end in time. */
  readonly lost: readonly Turn[];
  /** How often a connection was cut at each place. */
  readonly cuts: Readonly<Record<string, number>>;
}

/** Plays talks, each over a proxy of its own that cuts its connections, until each turn was told to its end. */
export async function playTalks(options: PlayOptions): Promise<Played> {
  const { talks, random, atOnce, mostCuts } = options;
  const readings = new Map<Turn, Reading>();
  const cuts: Record<string, number> = {};
  const lost: Turn[] = [];
  // Drawn before anything runs, so that a seed makes the same ones each time.
  const left = talks.map((talk) => ({
    talk,
    planned: Array.from({ length: Math.floor(random() * (mostCuts + 1)) }, () => drawCut(random)),
  }));
  const onCut = (cut: Cut): void => {
    cuts[nameOf(cut)] = (cuts[nameOf(cut)] ?? 0) + 1;
  };
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const proxy = await openCuttingProxy({ port: options.port, cuts: next.planned, onCut });
      const reader = openReader(options, next.talk, proxy.url);
      for (const [turn, reading] of await readTalk(reader, next.talk, options.patienceMs))
        if (reading) readings.set(turn, reading);
        else lost.push(turn);
      await reader.close();
      await proxy.close();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { readings, lost, cuts };
}

function openReader(
  { open, apiKey, onHeard = () => {} }: PlayOptions,
  { agent }: Talk,
  url: string,
): TurnReader {
  return open({ url, agent, apiKey, onHeard });
}

type Heard = readonly [Turn, Reading | undefined];

async function readTalk(
  reader: TurnReader,
  { turns, isPatient }: Talk,
  patienceMs: number,
): Promise<readonly Heard[]> {
  const read = async (turn: Turn): Promise<Heard> => {
    const stop = new AbortController();
    const late = sleep(patienceMs, undefined, { signal: stop.signal }).catch(() => undefined);
    const heard = await Promise.race([reader.read(turn), late]);
    stop.abort();
    return [turn, heard];
  };
  if (!isPatient) return Promise.all(turns.map(read));
  const heard: Heard[] = [];
  for (const turn of turns) heard.push(await read(turn));
  return heard;
}
