import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '@waymark/contract';
import { isLastingOutage } from '@waymark/contract/engine';
import { type RunOutcome, toWireUsage } from '@waymark/contract/runs';
import type { EngineParts } from '../engine-parts.ts';
import { isSettled } from '../journal/run-status.ts';
import { RunTree } from '../journal/run-tree.ts';
import type { Body } from '../leg/body-end.ts';
import { answerLater } from '../told/answer-later.ts';
import { Feed } from '../told/feed.ts';
import { toOutcome, toReport } from '../told/report.ts';
import { type RootEnd, RootRun, type RootStart } from './root-run.ts';

/** How long to wait before looking again at a root that another process executes. */
const lookMs = 200;

/** The roots that this process executes. */
export class Roots {
  readonly feed = new Feed();
  readonly #parts: EngineParts;
  readonly #running = new Map<string, { readonly run: RootRun; readonly settled: Promise<unknown> }>();
  readonly #current = new AsyncLocalStorage<string>();
  #draining = false;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  get draining(): boolean {
    return this.#draining;
  }

  get ids(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** The root whose code is running right now: for failures that nobody waits for. */
  get current(): string | undefined {
    return this.#current.getStore();
  }

  has(rootId: string): boolean {
    return this.#running.has(rootId);
  }

  /**
   * Executes a root as far as it goes. While it cannot be stored for a reason that does not pass by itself, it goes on behind
   * whoever waits for it.
   *
   * @throws {RunFailed} · {HTTPError} 503 another process, or the next one, goes on with it, or this one does when it can be
   * stored
   */
  drive(start: Omit<RootStart, 'feed' | 'onFailure'>, body: Body): Promise<RunOutcome<Json>> {
    const { rootId } = start.tree;
    return new Promise((resolve, reject) => {
      const onFailure = (error: unknown): void => {
        if (isLastingOutage(error)) reject(answerLater(rootId, error));
      };
      // A promise settles once: what comes of the root later is read from its rows.
      this.#drive({ ...start, feed: this.feed, onFailure }, body).then(resolve, reject);
    });
  }

  async #drive(start: RootStart, body: Body): Promise<RunOutcome<Json>> {
    const { rootId } = start.tree;
    const run = new RootRun(this.#parts, start);
    if (this.#draining) run.drain();
    const driven = this.#current.run(rootId, () => run.drive(body));
    this.#running.set(rootId, { run, settled: driven });
    let end: RootEnd;
    try {
      end = await driven;
    } finally {
      this.#running.delete(rootId);
      this.feed.ended(rootId);
    }
    return this.#toOutcome(end);
  }

  /** Waits until this process executes the root no more. */
  async idle(rootId: string): Promise<void> {
    await this.#running.get(rootId)?.settled.catch(() => {});
  }

  /**
   * Waits until a root has ended or waits for a human, wherever it is executed.
   *
   * @param untilMs monotonic
   * @param notYet what is thrown then, or when the process ends: by default where the answer will be
   * @returns undefined: there is none
   */
  async settled(rootId: string, untilMs: number, notYet = answerLater): Promise<RunTree | undefined> {
    for (;;) {
      await this.idle(rootId);
      const tree = RunTree.from(rootId, await this.#parts.store.load(rootId));
      if (!tree || isSettled(tree.root)) return tree;
      if (this.#draining || this.#parts.monotonic() >= untilMs) throw notYet(rootId);
      // Not the host's timer, which stands still when shutdown begins: whoever waits here must hear of it.
      await sleep(lookMs);
    }
  }

  cancel(rootId: string): void {
    this.#running.get(rootId)?.run.cancel();
  }

  /** Begins no new steps, and gives back what is left after a while. */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    const all = [...this.#running.values()];
    for (const { run } of all) run.drain();
    this.feed.turnAll();
    // Not the host's timer, which stands still from now on.
    const timer = setTimeout(() => {
      for (const { run } of all) run.giveUp();
    }, ms);
    await Promise.allSettled(all.map(({ settled }) => settled));
    clearTimeout(timer);
  }

  async #toOutcome({ how, tree }: RootEnd): Promise<RunOutcome<Json>> {
    const { rootId } = tree;
    if (how === 'ended') return this.#reportEnd(tree);
    if (how === 'waiting') return toOutcome(tree, rootId);
    if (how === 'released') throw answerLater(rootId);
    const stored = RunTree.from(rootId, await this.#parts.store.load(rootId));
    if (stored && isSettled(stored.root)) return toOutcome(stored, rootId);
    throw answerLater(rootId);
  }

  #reportEnd(tree: RunTree): RunOutcome<Json> {
    const { runId, spec, status } = tree.root;
    const report = toReport(tree, runId);
    const usage = toWireUsage(report.usage, tree.tokensBelow(runId));
    this.#parts.emit({ kind: 'run_finished', run_id: runId, name: spec.name, status, usage });
    return toOutcome(tree, runId, report);
  }
}
