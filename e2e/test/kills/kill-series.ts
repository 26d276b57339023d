import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunStore } from '@waymark/contract/stores';
import type { SqlDatabase } from '@waymark/data';
import { programForm } from '../../../tools/lib/program-form.ts';
import { openState } from '../runs/engine.ts';
import { readWorld } from '../runs/file-world.ts';
import type { World } from '../runs/world.ts';

/** Has no divisor in common with numbers of kills that are used. */
const scattering = 7;

/** Deaths in a row: a run that sees one more without a step of its own is given up, as it should be. */
const inARow = 4;

/** A series of processes over one database, each killed at another point. */
export interface KillSeries {
  /** For whoever reads that it failed. */
  readonly name: string;
  /** A program that calls `liveUntilKilled`. */
  readonly program: string;
  /** What it is told to do, after where its database and its world are. */
  readonly work: readonly string[];
  /** That one passes whom nobody kills. */
  readonly points: number;
  readonly kills: number;
  /** Where in its share of the points each kill is, between 0 and 1: in its middle. */
  readonly phase?: number;
  /** No process is killed after that, of `performance.now`; far away. */
  readonly untilMs?: number;
  /** What must hold of all roots when everything has come to its end. */
  readonly check: (world: World, roots: readonly Loaded[], database: SqlDatabase) => Promise<void>;
}

/** A root with everything below it, as it is stored. */
export type Loaded = Awaited<ReturnType<RunStore['load']>>;

/** How a series came out, when all its promises hold. */
export interface KillReport {
  readonly killed: number;
  readonly roots: readonly Loaded[];
}

/**
 * Kills one process after another with SIGKILL, at points spread evenly over what one run passes; each
 * fifth one and the last one live, and finish everything. Then checks what must hold of each root.
 */
export async function killSeries(series: KillSeries): Promise<KillReport> {
  const { name, work, points, kills, phase = 0.5, check, untilMs = Number.POSITIVE_INFINITY } = series;
  const folder = mkdtempSync(join(tmpdir(), 'kills-'));
  const [file, journal] = [join(folder, 'runs.db'), join(folder, 'world.jsonl')];
  let names = 0;
  const next = (point: number): Promise<string | null> =>
    run(series, [file, journal, ...work, String(point), String(++names)]);
  try {
    let killed = 0;
    for (let i = 0; i < kills && performance.now() < untilMs; i++) {
      // Not in their order: deaths at the boot, one after the other, would be a crash loop.
      const at = (i * scattering) % kills;
      const signal = await next(1 + Math.floor(((at + phase) * points) / kills));
      if (signal === 'SIGKILL') killed++;
      if (i % inARow === inARow - 1) await next(0);
    }
    await next(0);
    const { database, store } = await openState(`file:${file}`);
    const listed = await store.list({ limit: 500 });
    const roots = await Promise.all(listed.map(({ runId }) => store.load(runId)));
    await check(readWorld(journal), roots, database);
    await database.close();
    return { killed, roots };
  } catch (error) {
    throw new Error(`${name}: ${String(error)}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns the signal that ended it @throws when it came to neither its end nor SIGKILL */
function run({ program }: KillSeries, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...programForm, '--no-warnings', program, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 180_000,
      // Told apart from the one it gives itself.
      killSignal: 'SIGTERM',
    });
    let complaint = '';
    child.stderr.on('data', (chunk) => {
      complaint += String(chunk);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(signal);
      else reject(new Error(`a process told ${args.join(' ')} ended with ${code ?? signal}: ${complaint}`));
    });
  });
}
