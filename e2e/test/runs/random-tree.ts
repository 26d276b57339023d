import assert from 'node:assert/strict';
import type { Json, Route } from '@waymark/contract';
import type { Principal } from '@waymark/contract/principal';
import type { RunScope } from '@waymark/contract/runs';
import { endLeases } from '../kills/survive.ts';
import { type Ctx, runRoute, type Stage } from './drivers.ts';
import { desk, openState, startEngine } from './engine.ts';
import { Life, World } from './world.ts';

/** A run of a random tree: what it may use and do, and what it begins, in groups that run at the same time. */
interface Node {
  readonly name: string;
  readonly kind: 'agent' | 'behaviour' | 'flow';
  readonly tokenBudget: number | null;
  readonly scopes: readonly string[];
  readonly groups: readonly (readonly (Node | Question)[])[];
}

/** A call of a model: what it takes by estimate, and how far that is off; how much it may say at most, and says. */
interface Question {
  readonly estimate: number;
  readonly off: number;
  readonly maxTokens: number;
  readonly says: number;
  readonly turns: number;
}

/** Of one question; all in flight can be off at once. */
const mostOff = 3;
const allScopes = ['use', 'other', 'more'];

/** What a tree of runs came to. */
export interface TreeReport {
  readonly runs: number;
  readonly questions: number;
  readonly exhausted: number;
}

/**
 * Runs a random tree of budgets over the durable engine, with a death of its process when told, and checks that nothing
 * was spent past a budget, that the ledger says what the models say, and that nobody got more authority on the way.
 */
export async function checkRandomTree(random: () => number, dies: boolean): Promise<TreeReport> {
  const root = randomNode(random, 0, { count: 0 });
  const tellers = new Tellers();
  const routes = (stage: Stage) => routesOf(root, stage, tellers);
  const { database, store } = await openState();
  const life = new Life(dies ? 5 + Math.floor(random() * 60) : undefined);
  const world = new World();
  const first = await startEngine(database, routes, { life, world, tools: false });
  await Promise.race([first.call(root.name), life.died]);
  if (life.dead) {
    await endLeases(database);
    const second = await startEngine(database, routes, { world, tools: false });
    for (let i = 0; i < 100_000; i++) {
      const [run] = await store.list({ limit: 1 });
      // It died before anything was stored: then there is nothing to go on with.
      if (!run || (run.status !== 'running' && run.status !== 'ready')) break;
      await new Promise(setImmediate);
    }
    second.life.kill();
  }
  life.kill();
  const [run] = await store.list({ limit: 1 });
  const { runs, ops, spend } = await store.load(run?.runId ?? '');
  for (const { status, runId } of runs)
    assert.ok(['completed', 'budget_exhausted'].includes(status), `${runId} is ${status}`);
  const answered = ops.filter(({ kind, state }) => kind === 'model' && state === 'done');
  const said = answered.reduce((sum, { value }) => sum + (tellers.used[Number(value)] ?? Number.NaN), 0);
  const [ledger] = await database.many(
    'select coalesce(sum(input_tokens + output_tokens), 0) as tokens from svc__spend',
  );
  assert.equal(ledger?.['tokens'], said);
  for (const { runId, spec, principal } of runs) {
    const below = spend.filter((one) => one.runId === runId || one.runId.startsWith(`${runId}.`));
    const used = below.reduce((sum, one) => sum + one.inputTokens + one.outputTokens, 0);
    const { tokenBudget } = spec;
    assert.ok(
      tokenBudget === null || used <= tokenBudget + mostOff * below.length,
      `${used} of ${tokenBudget}`,
    );
    assert.equal(principal.rootId, desk.rootId);
  }
  assert.deepEqual(tellers.faults, []);
  await database.close();
  const exhausted = runs.filter(({ status }) => status === 'budget_exhausted').length;
  return { runs: runs.length, questions: answered.length, exhausted };
}

/** What models were asked and answered, and who asked. */
class Tellers {
  /** Tokens, by the number of the answer. */
  readonly used: number[] = [];
  readonly faults: string[] = [];
  readonly #seen = new Map<string, Principal>();

  answer({ estimate, off, says }: Question, granted: number | null) {
    const inputTokens = estimate + off;
    // A provider never says more than it may.
    const outputTokens = Math.min(says, granted ?? says);
    const n = this.used.push(inputTokens + outputTokens) - 1;
    const rest = { cacheReadTokens: 0, cacheWriteTokens: 0, costMicros: 1, estimated: false };
    return { value: n, spend: [{ model: 'm', provider: 'p', inputTokens, outputTokens, ...rest }] };
  }

  /** Authority only shrinks on the way down, and is the same after a death. */
  meet({ runId, principal }: RunScope): void {
    const above = this.#seen.get(runId.split('.').slice(0, -1).join('.')) ?? desk;
    const before = this.#seen.get(runId) ?? principal;
    const wider = principal.scopes.filter((scope) => !above.scopes.includes(scope));
    if (wider.length > 0) this.faults.push(`${runId} gained ${wider.join()}`);
    if (principal.rootId !== desk.rootId) this.faults.push(`${runId} belongs to ${principal.rootId}`);
    if (String(before.scopes) !== String(principal.scopes)) this.faults.push(`${runId} changed`);
    this.#seen.set(runId, principal);
  }
}

function randomNode(random: () => number, depth: number, names: { count: number }): Node {
  const below = (n: number): number => Math.floor(random() * n);
  const kinds = ['agent', 'behaviour', 'flow'] as const;
  const question = (): Question => ({
    estimate: 5 + below(20),
    off: below(2 * mostOff + 1) - mostOff,
    maxTokens: 1 + below(500),
    says: below(500),
    turns: below(4),
  });
  return {
    name: `n${names.count++}`,
    kind: kinds[below(3)] ?? 'flow',
    tokenBudget: random() < 0.4 ? null : below(2_500),
    scopes: allScopes.filter(() => random() < 0.7),
    groups: Array.from({ length: 1 + below(3) }, () =>
      Array.from({ length: 1 + below(3) }, () =>
        depth < 3 && random() < 0.3 ? randomNode(random, depth + 1, names) : question(),
      ),
    ),
  };
}

function routesOf(node: Node, stage: Stage, tellers: Tellers): readonly Route[] {
  const { kind, name, tokenBudget, scopes, groups } = node;
  const body = async (ctx: Ctx): Promise<Json> => {
    tellers.meet(ctx.scope);
    for (const group of groups)
      await Promise.all(group.map((one) => ('name' in one ? ctx.call(one.name) : ask(ctx, one, tellers))));
    return null;
  };
  const nodes = groups.flat().filter((one) => 'name' in one);
  return [
    runRoute(kind, name, body, stage, { tokenBudget, scopes }),
    ...nodes.flatMap((below) => routesOf(below, stage, tellers)),
  ];
}

function ask(ctx: Ctx, question: Question, tellers: Tellers): Promise<Json> {
  const { estimate, maxTokens, turns } = question;
  const spec = { kind: 'model', name: 'm', input: null, repeat: 'safe' } as const;
  const tokens = { reserveTokens: estimate + maxTokens, estimateTokens: estimate };
  return ctx.scope.op<Json>({ ...spec, ...tokens }, async ({ grantedTokens }) => {
    await ctx.life.point('asked');
    for (let i = 0; i < turns; i++) await new Promise(setImmediate);
    return tellers.answer({ ...question, says: Math.min(question.says, maxTokens) }, grantedTokens);
  });
}
