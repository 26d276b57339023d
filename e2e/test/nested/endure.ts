import assert from 'node:assert/strict';
import type { Approval, RunStore } from '@waymark/contract';
import { boss, type Engine, openState, startEngine } from '../runs/engine.ts';
import { endLeases } from '../runs/simulate.ts';
import { Life, Trouble, World } from '../runs/world.ts';
import type { NestedShape } from './declare.ts';
import { checkLedger, checkPromises, checkSession, type Loaded } from './promises.ts';

/** What humans do, about the oldest question first or the newest; `expire` is nothing. */
export type Policy =
  | 'approve'
  | 'approve-last'
  | 'deny'
  | 'deny-last'
  | 'by turns'
  | 'yes-last, then no'
  | 'expire';

/** All of them. */
export const policies: readonly Policy[] = [
  ...(['approve', 'approve-last', 'deny', 'deny-last', 'by turns', 'yes-last, then no', 'expire'] as const),
];

/** Everything one simulation needs. */
export interface Scenario {
  readonly shape: NestedShape;
  readonly policy: Policy;
  /** At which of its points each engine dies; those after the last one live. */
  readonly deaths?: readonly number[];
  /** The use of a store that fails in the first engine; none. */
  readonly trouble?: number;
  /** Looks at a root whenever it waits. */
  readonly onWait?: (engine: Engine, loaded: Loaded) => void | Promise<void>;
}

/** How a simulation came out. */
export interface Outcome {
  readonly world: World;
  readonly loaded: Loaded;
  /** Points that the first engine passed. */
  readonly points: number;
  /** How often it used a store. */
  readonly uses: number;
  readonly engines: number;
  readonly status: string;
}

const mostEngines = 14;
const mostRounds = 80;

/** Runs a nesting to its end, with a new engine on the same database for each one that dies, and checks what must hold. */
export async function endure(scenario: Scenario): Promise<Outcome> {
  const { shape, policy, deaths = [], trouble } = scenario;
  const { database, store } = await openState();
  const world = new World();
  const lives: Life[] = [];
  let decided = 0;
  const begin = async (): Promise<Engine> => {
    assert.ok(lives.length < mostEngines, 'too many engines');
    await endLeases(database);
    const life = new Life(deaths[lives.length], lives.length === 0 ? trouble : undefined);
    lives.push(life);
    const upkeep = trouble === undefined ? {} : { after: soon };
    try {
      return await startEngine(database, shape.routes, { life, world, ...upkeep });
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
      if (!root) await Promise.race([engine.call(shape.start, shape.input), engine.life.died]);
      else if (root.status === 'waiting') {
        const loaded = await store.load(root.runId);
        await scenario.onWait?.(engine, loaded);
        if (policy === 'expire') {
          // Their time is over while nobody is there to see it: the next engine does.
          await database.write([{ sql: "update svc__approval set expires_ms = 0 where status = 'pending'" }]);
          engine.life.kill();
        } else await decide(engine, decisionOf(loaded.approvals, policy, decided++));
      } else if (root.status === 'running' || root.status === 'ready') await settled(store, engine.life);
      else {
        const loaded = await store.load(root.runId);
        await checkPromises(world, loaded, database);
        const cutOff = await checkLedger(world, [loaded], database);
        const { together = 1, messages = 0 } = shape;
        await checkSession(root.status === 'completed' ? messages : 0, database);
        const killed = deaths.length + (trouble === undefined ? 0 : 2);
        assert.ok(cutOff <= together * (killed + 1) - 1, `${cutOff} answers of models are lost`);
        const { points = 0, uses = 0 } = lives[0] ?? {};
        return { world, loaded, points, uses, engines: lives.length, status: root.status };
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

/** What comes each second comes at once: whatever was left behind is looked for. */
function soon(ms: number, task: () => unknown): () => void {
  const timer = ms <= 1_000 ? setTimeout(task, 1) : undefined;
  return () => clearTimeout(timer);
}

/** What somebody says to which question. */
export interface NextDecision {
  readonly approvalId: string;
  readonly approve: boolean;
}

/** @param nth decisions before it */
export function decisionOf(approvals: readonly Approval[], policy: Policy, nth: number): NextDecision {
  const pending = approvals
    .filter(({ status }) => status === 'pending')
    .toSorted((a, b) => a.requestedOrd - b.requestedOrd);
  const begins = policy === 'yes-last, then no' && nth === 0;
  const one = policy.endsWith('-last') || begins ? pending.at(-1) : pending[0];
  assert.ok(one, 'the run waits for nobody');
  const yes = policy === 'by turns' ? nth % 2 === 0 : policy.startsWith('approve');
  return { approvalId: one.approvalId, approve: yes || begins };
}

async function decide(engine: Engine, { approvalId, approve }: NextDecision): Promise<void> {
  const decided = engine.runner.decide(approvalId, { approve, note: 'so be it', by: boss });
  const answered = decided.catch((error: unknown) => {
    if (!engine.life.dead && !(error instanceof Trouble)) throw error;
  });
  await Promise.race([answered, engine.life.died]);
}

/** Until the only root ends or waits, or the engine dies. */
async function settled(store: RunStore, life: Life): Promise<void> {
  const untilMs = Date.now() + 20_000;
  while (!life.dead && Date.now() < untilMs) {
    const [root] = await store.list({ limit: 1 });
    if (root?.status !== 'running' && root?.status !== 'ready') return;
    await new Promise(setImmediate);
  }
  assert.ok(life.dead, 'nobody goes on with the run');
}
