import { HTTPError, type Json, type Progress, type Values } from '@waymark/contract';
import { type Call, problemResponse, type RouteResponse } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import type {
  MemoedRun,
  MemoFilter,
  Resumption,
  RunEnd,
  Runner,
  RunOutcome,
  RunScope,
  RunSpec,
  RunStatus,
  StepTail,
} from '@waymark/contract/runs';
import type { RunPage, RunRecord } from '@waymark/contract/stores';
import { RunTree } from './journal/run-tree.ts';
import { laterTurn } from './later-turn.ts';
import type { Body } from './leg/body-end.ts';
import { runChild } from './leg/child-run.ts';
import { JournalStep } from './leg/journal-step.ts';
import { cancel } from './roots/cancel.ts';
import { decide, type HumanDecision } from './roots/decide.ts';
import { fork, retry } from './roots/retry.ts';
import { callerOf, RootStarter } from './roots/root-starter.ts';
import type { RunnerParts } from './roots/runner-parts.ts';
import { StoredRoot } from './roots/stored-root.ts';
import { follow, type ReadParts } from './told/follow.ts';
import { JournalTail } from './told/journal-tail.ts';
import { toOutcome } from './told/report.ts';
import { SharedWork } from './told/shared-work.ts';
import { Telling } from './told/telling.ts';
import { toWaiting } from './told/to-waiting.ts';

/** Runs that survive their process, over a store. */
export class DurableRunner implements Runner {
  readonly #parts: RunnerParts;
  readonly #starter: RootStarter;
  /** Those who follow one root ask for the same pages, and for its answer, in the same moment. */
  readonly #pages = new SharedWork<RunPage | undefined>();
  readonly #answers = new SharedWork<RouteResponse>();
  readonly #waits = new SharedWork<Json | undefined>();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#starter = new RootStarter(parts);
  }

  async open<T extends Json>(
    spec: RunSpec,
    call: Call,
    input: Values,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>> {
    // A driver's function gives the JSON it says, and rows give back what it gave.
    const outcome = await this.#open(spec, call, input, body);
    return outcome as RunOutcome<T>;
  }

  decide(approvalId: string, decision: HumanDecision): Promise<RouteResponse> {
    return decide(this.#parts, approvalId, decision);
  }

  cancel(rootId: string, by: Principal): Promise<void> {
    return cancel(this.#parts, rootId, by);
  }

  async cancelOwn(rootId: string, route: string, principal: Principal): Promise<void> {
    const page = await this.#parts.store.page(rootId, 0, 0);
    if (!page || !isOwn(page.root, route, principal)) throw new HTTPError(404, `no run ${rootId}`);
    await cancel(this.#parts, rootId, principal);
  }

  memos(filter: MemoFilter): Promise<readonly MemoedRun[]> {
    return this.#parts.store.memos(filter);
  }

  newestMemo(principal: string): Promise<MemoedRun | undefined> {
    return this.#parts.store.newestMemo(principal);
  }

  acknowledge(rootId: string, status: RunStatus): Promise<void> {
    return this.#parts.store.acknowledge(rootId, status);
  }

  retry(rootId: string, by: Principal): Promise<RouteResponse> {
    return retry(this.#parts, rootId, by);
  }

  fork(rootId: string, at: number, by: Principal): Promise<string> {
    return fork(this.#parts, rootId, at, by);
  }

  async read(rootId: string, route: string, principal: Principal): Promise<RouteResponse> {
    const tree = await this.#load(rootId);
    return tree && isOwn(tree.root, route, principal)
      ? this.#parts.stored.answer(tree)
      : problemResponse(404, `no run ${rootId}`);
  }

  follow(
    rootId: string,
    route: string,
    lastSeq: number,
    principal: Principal,
    signal: AbortSignal,
  ): AsyncIterable<Progress> {
    return follow(rootId, lastSeq, signal, {
      ...this.#toReadParts(rootId, principal),
      mayRead: (root) => isOwn(root, route, principal),
      through: 'end',
      isOver: () => this.#parts.roots.draining && !this.#parts.roots.has(rootId),
      answer: () => this.#answers.of(rootId, () => this.read(rootId, route, principal)),
      waiting: () => this.#waits.of(rootId, async () => toWaiting(await this.#load(rootId))),
    });
  }

  async countRuns(endedSinceMs: number): ReturnType<Runner['countRuns']> {
    const counts = new Map(await this.#parts.store.countRoots(endedSinceMs));
    const running = (counts.get('running') ?? 0) + (counts.get('ready') ?? 0);
    counts.delete('ready');
    if (running > 0) counts.set('running', running);
    // The one status that is left out was taken away.
    return counts as Awaited<ReturnType<Runner['countRuns']>>;
  }

  tailSteps(): StepTail {
    return new JournalTail(this.#parts.store);
  }

  #toReadParts(rootId: string, reader: Principal): Omit<ReadParts, 'isOver' | 'mayRead'> {
    const { roots, store } = this.#parts;
    return {
      feed: roots.feed,
      page: (afterOrd, count, version) =>
        this.#pages.of(`${rootId} ${afterOrd} ${version}`, async () => {
          await laterTurn(reader);
          return store.page(rootId, afterOrd, count);
        }),
    };
  }

  async #open(spec: RunSpec, call: Call, input: Values, body: Body): Promise<RunOutcome<Json>> {
    if (call.step) return openChild(spec, call, body);
    if (call.resume !== undefined) return this.#resume(spec, call, call.resume, body);
    const { observe } = call;
    if (!observe) return this.#starter.start(spec, call, input, body);
    const { roots, log } = this.#parts;
    const telling = new Telling({ ...call, observe }, { feed: roots.feed, log }, (rootId) =>
      this.#toReadParts(rootId, call.principal),
    );
    return telling.through((told) => this.#starter.start(spec, told, input, body));
  }

  /** Goes on with a stored root; one that nobody took is only asked for its answer. */
  async #resume(spec: RunSpec, call: Call, stored: Resumption, body: Body): Promise<RunOutcome<Json>> {
    if (!(stored instanceof StoredRoot) || stored.taken)
      throw new Error('a stored root can only be gone on with by the runner that sent it, and once');
    const { roots, monotonic } = this.#parts;
    const { tree, fence, onStep, rootId } = stored;
    stored.taken = true;
    call.onRun?.(rootId);
    if (!fence) return toOutcome(tree, rootId);
    return roots.drive({ tree, fence, onStep, ...callerOf(spec, call, monotonic()) }, body);
  }

  async #load(rootId: string): Promise<RunTree | undefined> {
    return RunTree.from(rootId, await this.#parts.store.load(rootId));
  }
}

async function openChild(spec: RunSpec, call: Call, body: Body): Promise<RunOutcome<Json>> {
  const { step } = call;
  if (!(step instanceof JournalStep)) throw new Error('a run can only be opened in a step of this runner');
  const run = await runChild(step, spec, call, body);
  return toOutcome(step.leg.tree, run.runId);
}

/** Whether a caller may see a root: anonymous callers share one principal, so they see none. */
function isOwn({ call, principal: starter }: RunRecord, route: string, caller: Principal): boolean {
  return caller.authenticated && call?.route === route && starter.rootId === caller.rootId;
}
