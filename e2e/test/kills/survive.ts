import assert from 'node:assert/strict';
import type { Route, Values } from '@waymark/contract';
import type { Call } from '@waymark/contract/engine';
import type { RunStore } from '@waymark/contract/stores';
import type { SqlDatabase } from '@waymark/data';
import type { RunNotices } from '@waymark/runs';
import type { Stage } from '../runs/drivers.ts';
import { boss, type Engine, openState, startEngine } from '../runs/engine.ts';
import { Life, Trouble, World } from '../runs/world.ts';
import type { Loaded } from './kill-series.ts';

/** Runs inside each other, and the one that is started. */
export interface Played {
  readonly name: string;
  readonly start: string;
  readonly input?: Values;
  /** What else its call says. */
  readonly call?: Partial<Call>;
  readonly routes: (stage: Stage) => readonly Route[];
  /** What its engines are told to tell. */
  readonly notices?: RunNotices;
}

/** Everything one run needs that is to survive its engines. */
export interface Survival {
  readonly shape: Played;
  /** What humans do, for whoever reads that it failed. */
  readonly policy: string;
  /** At which of its points each engine dies; those after the last one live. */
  readonly deaths: readonly number[];
  /** The use of a store that fails in the first engine; none. */
  readonly trouble?: number | undefined;
  /** Does what humans do about a root that waits. */
  readonly decide: (engine: Engine, loaded: Loaded, database: SqlDatabase) => Promise<void>;
  /** What must hold of the root when it has ended. */
  readonly check: (world: World, loaded: Loaded, database: SqlDatabase) => Promise<void>;
}

/** How a run came out that survived. */
export interface Survived {
  readonly world: World;
  readonly loaded: Loaded;
  /** Points that the first engine passed. */
  readonly points: number;
  /** How often it used a store. */
  readonly uses: number;
  readonly engines: number;
  readonly status: string;
  /** What the engines passed, all of them. */
  readonly trace: readonly string[];
}

const mostEngines = 14;
const mostRounds = 80;

/** Runs a shape to its end, with a new engine on the same database for each one that dies, and checks what must hold. */
export async function survive(survival: Survival): Promise<Survived> {
  const { shape, policy, deaths, trouble, decide, check } = survival;
  const { database, store } = await openState();
  const world = new World();
  const lives: Life[] = [];
  const begin = async (): Promise<Engine> => {
    assert.ok(lives.length < mostEngines, 'too many engines');
    await endLeases(database);
    const life = new Life(deaths[lives.length], lives.length === 0 ? trouble : undefined);
    lives.push(life);
    const upkeep = trouble === undefined ? {} : { after: soon };
    const notices = shape.notices && { notices: shape.notices };
    try {
      return await startEngine(database, shape.routes, { life, world, ...upkeep, ...notices });
    } catch (error) {
      // A server that cannot start is started again.
      if (!(error instanceof Trouble)) throw error;
      life.kill();
      return begin();
    }
  };
  try {
    let engine = await begin();
    for (let round = 0; round < mostRounds; round++) {
      if (engine.life.dead) engine = await begin();
      const [root] = await store.list({ limit: 1 });
      if (!root) await Promise.race([engine.call(shape.start, shape.input, shape.call), engine.life.died]);
      else if (root.status === 'waiting') await decide(engine, await store.load(root.runId), database);
      else if (root.status === 'running' || root.status === 'ready') await settled(store, engine.life);
      else {
        const loaded = await store.load(root.runId);
        await check(world, loaded, database);
        const trace = lives.flatMap((life) => life.trace);
        const { points = 0, uses = 0 } = lives[0] ?? {};
        return { world, loaded, points, uses, engines: lives.length, status: root.status, trace };
      }
    }
    throw new Error('the run does not come to an end');
  } catch (error) {
    const trace = lives.map((life) => life.trace.join(', ')).join('\n--\n');
    const how = `${shape.name}, ${policy}, deaths at [${deaths.join(', ')}], trouble at ${trouble}`;
    throw new Error(`${how}: ${String(error)}\n${trace}`, { cause: error });
  } finally {
    for (const life of lives) life.kill();
    await database.close();
  }
}

/** Long enough after the death of whoever held them. */
export async function endLeases(database: SqlDatabase): Promise<void> {
  await database.write([{ sql: "update svc__run set lease_until_ms = 0 where status = 'running'" }]);
}

/** The time of all questions is over while nobody is there to see it: the next engine does. */
export async function expireAll({ life }: Engine, database: SqlDatabase): Promise<void> {
  await database.write([{ sql: "update svc__approval set expires_ms = 0 where status = 'pending'" }]);
  life.kill();
}

/** Says yes or no, to an engine that may die of it. */
export async function say({ runner, life }: Engine, approvalId: string, approve: boolean): Promise<void> {
  const decided = runner.decide(approvalId, { approve, note: 'so be it', by: boss });
  const answered = decided.catch((error: unknown) => {
    if (!life.dead && !(error instanceof Trouble)) throw error;
  });
  await Promise.race([answered, life.died]);
}

/** What comes each second comes at once: whatever was left behind is looked for. */
function soon(ms: number, task: () => unknown): () => void {
  const timer = ms <= 1_000 ? setTimeout(task, 1) : undefined;
  return () => clearTimeout(timer);
}

/** Until the only root ends or waits, or the engine dies. */
async function settled(store: RunStore, life: Life): Promise<void> {
  const untilMs = performance.now() + 20_000;
  while (!life.dead && performance.now() < untilMs) {
    const [root] = await store.list({ limit: 1 });
    if (root?.status !== 'running' && root?.status !== 'ready') return;
    await new Promise(setImmediate);
  }
  assert.ok(life.dead, 'nobody goes on with the run');
}
