import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openState } from './engine.ts';
import { readWorld } from './file-world.ts';
import { shapes } from './shapes.ts';
import { checkLedger, checkRoot, type Policy, simulate } from './simulate.ts';

const program = join(import.meta.dirname, 'kill-process.ts');

/** Has no divisor in common with numbers of kills that are used. */
const scattering = 7;

/** Deaths in a row: a run that sees one more without a step of its own is given up, as it should be. */
const inARow = 4;

/** A series of processes over one database, each killed at another point. */
export interface KillSeries {
  readonly shape: number;
  readonly policy: Policy;
  readonly kills: number;
  /** No process is killed after that, of `performance.now`; far away. */
  readonly untilMs?: number;
  /** Where compiled sources are kept, so that processes begin sooner. */
  readonly cache: string;
}

/** How a series came out, when all its promises hold. */
export interface KillReport {
  /** Of a run that nobody kills. */
  readonly points: number;
  readonly killed: number;
  readonly runs: number;
}

/**
 * Kills one process after another with SIGKILL, at points spread evenly over what one run passes; each
 * fifth one and the last one live, and finish everything. Then checks what must hold of each run.
 */
export async function killSeries({
  shape,
  policy,
  kills,
  cache,
  untilMs = Number.POSITIVE_INFINITY,
}: KillSeries): Promise<KillReport> {
  const played = shapes[shape];
  if (!played) throw new Error(`no shape ${shape}`);
  const folder = mkdtempSync(join(tmpdir(), 'kills-'));
  const [file, journal] = [join(folder, 'runs.db'), join(folder, 'world.jsonl')];
  let names = 0;
  const next = (point: number): Promise<string | null> =>
    run([file, journal, String(shape), policy, String(point), String(++names)], cache);
  try {
    const { points } = await simulate({ shape: played, policy, deaths: [] });
    let killed = 0;
    for (let i = 0; i < kills && performance.now() < untilMs; i++) {
      // Not in their order: deaths at the boot, one after the other, would be a crash loop.
      const at = (i * scattering) % kills;
      const signal = await next(1 + Math.floor(((at + 0.5) * points) / kills));
      if (signal === 'SIGKILL') killed++;
      if (i % inARow === inARow - 1) await next(0);
    }
    await next(0);
    const { database, store } = await openState(`file:${file}`);
    const world = readWorld(journal);
    const roots = await store.list({ limit: 500 });
    for (const { runId } of roots) await checkRoot(world, await store.load(runId), database);
    await checkLedger(await Promise.all(roots.map(({ runId }) => store.load(runId))), database);
    await database.close();
    return { points, killed, runs: roots.length };
  } catch (error) {
    throw new Error(`${played.name}, ${policy}: ${String(error)}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns the signal that ended it @throws when it came to neither its end nor SIGKILL */
function run(args: readonly string[], cache: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--conditions=@waymark/source', '--no-warnings', program, ...args],
      {
        env: { ...process.env, NODE_COMPILE_CACHE: cache },
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: 180_000,
        // Told apart from the one it gives itself.
        killSignal: 'SIGTERM',
      },
    );
    let complaint = '';
    child.stderr.on('data', (chunk) => {
      complaint += String(chunk);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(signal);
      else reject(new Error(`a process at point ${args[4]} ended with ${code ?? signal}: ${complaint}`));
    });
  });
}
