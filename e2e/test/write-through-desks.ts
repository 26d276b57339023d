import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { clientOf } from './sql-served.ts';
import { type StartedDesk, startDesk } from './started-desk.ts';

/** How processes write one file, asked over HTTP. */
export interface WritingOptions {
  readonly processes: number;
  readonly ms: number;
  /** Processes killed (-9) at random moments and started again. */
  readonly kills?: number;
}

/** What became of what was asked. */
export interface Writing {
  /** Titles of rows whose writer was answered 201. */
  readonly acknowledged: readonly string[];
  /** Rows that were refused: the database was busy for too long, or the request late. */
  readonly refused: number;
  /** Requests that broke off: nobody knows what became of them. */
  readonly unknown: number;
  readonly killed: number;
  /** Statuses that nobody should get. */
  readonly odd: readonly number[];
}

/** Requests under way at each process. */
const atOnce = 8;

/** Lets several desks write one file for a while, and stops them. */
export async function writeThroughDesks(file: string, options: WritingOptions): Promise<Writing> {
  const started: StartedDesk[] = [];
  const start = async (): Promise<StartedDesk> => {
    const desk = await startDesk(file);
    started.push(desk);
    return desk;
  };
  try {
    return await writeThrough(start, options);
  } finally {
    // Whatever went wrong, nobody goes on writing.
    await Promise.all(started.map((desk) => end(desk, 'SIGKILL')));
  }
}

async function writeThrough(
  start: () => Promise<StartedDesk>,
  { processes, ms, kills = 0 }: WritingOptions,
): Promise<Writing> {
  const acknowledged: string[] = [];
  const odd: number[] = [];
  let [refused, unknown, stopping, n] = [0, 0, false, 0];
  const desks = await Promise.all(Array.from({ length: processes }, start));
  /** Whoever writes to a desk that was killed waits for the next one. */
  const replaced = new Map<number, Promise<unknown>>();

  const write = async (at: number): Promise<void> => {
    const title = `row ${++n}`;
    try {
      const { status } = await clientOf(desks[at]?.url ?? '').send('POST', '/tickets', { body: { title } });
      if (status === 201) acknowledged.push(title);
      // 408: a machine under load took too long to bring the request.
      else if (status === 503 || status === 408) refused++;
      else odd.push(status);
    } catch {
      unknown++;
      await replaced.get(at);
    }
  };
  const lane = async (at: number): Promise<void> => {
    while (!stopping) await write(at);
  };
  const replace = async (at: number): Promise<void> => {
    await end(desks[at], 'SIGKILL');
    desks[at] = await start();
  };

  const lanes = desks.flatMap((_, at) => Array.from({ length: atOnce }, () => lane(at)));
  try {
    for (let killed = 0; killed < kills; killed++) {
      await after((ms / kills) * 2 * Math.random());
      const replacing = replace(killed % processes);
      replaced.set(killed % processes, replacing);
      await replacing;
    }
    if (kills === 0) await after(ms);
  } finally {
    stopping = true;
  }
  await Promise.all(lanes);
  await Promise.all(desks.map((desk) => end(desk, 'SIGTERM')));
  return { acknowledged, refused, unknown, killed: kills, odd };
}

async function end(desk: StartedDesk | undefined, signal: NodeJS.Signals): Promise<void> {
  desk?.program.child.kill(signal);
  await desk?.program.ended();
}

/** What the file says of these rows, once nobody writes. */
export function lookFor(
  file: string,
  titles: readonly string[],
): { readonly lost: number; readonly twice: number; readonly integrity: unknown } {
  const database = new DatabaseSync(file);
  try {
    const rows = database.prepare('select title from tickets').all();
    const stored = new Set(rows.map(({ title }) => title));
    return {
      lost: titles.filter((title) => !stored.has(title)).length,
      twice: rows.length - stored.size,
      integrity: database.prepare('select integrity_check as said from pragma_integrity_check').all()[0]?.[
        'said'
      ],
    };
  } finally {
    database.close();
  }
}
