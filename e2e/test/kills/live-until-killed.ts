import type { Values } from '@waymark/contract';
import type { RunStore } from '@waymark/contract/stores';
import { isOpen } from '../runs/end.ts';
import { type Engine, openState, startEngine } from '../runs/engine.ts';
import { FileWorld } from '../runs/file-world.ts';
import { Life } from '../runs/world.ts';
import { endLeases, type Played } from './survive.ts';

/** What a process of a series is told: `<database> <world> … <point> <name>`. */
export interface KilledProcess {
  readonly file: string;
  /** Where what must survive goes. */
  readonly journal: string;
  /** At which it kills itself; 0 is never. */
  readonly point: number;
  /** A number of its own. */
  readonly name: number;
  /** What it starts, and with what. */
  readonly shape: Played;
  readonly input: Values | undefined;
  /** Decides on something that waits, if anything does. */
  readonly decide: (engine: Engine, store: RunStore) => Promise<void>;
}

/** Ends the process as the system does. */
class KilledLife extends Life {
  override kill(): void {
    process.kill(process.pid, 'SIGKILL');
    // Not one instruction of the engine more.
    for (;;);
  }
}

/**
 * One process of a series on one database: takes up what the one before left behind, starts a run of its own, decides on
 * whatever waits, and kills itself at its n-th point, or ends when everything has.
 */
export async function liveUntilKilled(told: KilledProcess): Promise<never> {
  const { file, journal, point, name, shape, input, decide } = told;
  const { database, store } = await openState(`file:${file}`);
  // Whoever held them is dead.
  await endLeases(database);
  const life = new KilledLife(point || Number.POSITIVE_INFINITY);
  const world = new FileWorld(journal, name);
  // What was left behind is looked for often; deadlines are far away.
  const after = (ms: number, task: () => unknown) => {
    const timer = ms > 1_000 ? undefined : setTimeout(task, Math.min(ms, 20));
    return () => clearTimeout(timer);
  };
  const engine = await startEngine(database, shape.routes, { life, world, after });
  // Whoever waits for it may be gone.
  setTimeout(() => process.exit(3), 200_000);
  let started = false;
  void engine.call(shape.start, input).then(() => {
    started = true;
  });
  for (let open = 1; open > 0 || !started; ) {
    await decide(engine, store);
    await new Promise(setImmediate);
    open = (await store.list({ limit: 500 })).filter(isOpen).length;
  }
  process.exit(0);
}
