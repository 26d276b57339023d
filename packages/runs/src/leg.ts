import {
  type Fence,
  type GateRequest,
  type HostError,
  HTTPError,
  type Principal,
  type RunError,
  type WrittenPiece,
} from '@waymark/contract';
import type { Body, BodyEnd } from './body-end.ts';
import { TokenBudget } from './budget.ts';
import { BudgetWatch } from './budget-watch.ts';
import { Changes } from './changes.ts';
import type { EngineParts } from './engine-parts.ts';
import type { Feed } from './feed.ts';
import { Frame } from './frame.ts';
import { Gates, toQuestion } from './gates.ts';
import { guardTime } from './guard-time.ts';
import { Journal } from './journal.ts';
import { never } from './never.ts';
import type { Op } from './op.ts';
import { Recorder } from './recorder.ts';
import { toRedone } from './redone.ts';
import type { ReplayMismatch } from './replay-mismatch.ts';
import type { RunTree } from './run-tree.ts';
import { Waits } from './waits.ts';

/**
 * How a leg left its root. `again`: failures were undone, and it is to be run from its journal once more. `lost`: cancelled, or somebody else's by now. `disturbed`: the service could not work on it, which
 * is no reason for it to end.
 */
export type LegEnd = 'ended' | 'held' | 'again' | 'released' | 'disturbed' | 'lost';

/** What a leg is begun with. */
export interface LegStart {
  readonly tree: RunTree;
  readonly fence: Fence;
  readonly caller: Principal;
  /** What the run may do by today's declaration. */
  readonly scopes: readonly string[];
  /** Monotonic. */
  readonly deadlineMs: number;
  /** Told what is stored and written. */
  readonly feed: Feed;
  /** Told when something was stored. */
  readonly onStep?: (() => void) | undefined;
}

/**
 * One execution of a root with everything below it, from its start or from its journal to its end, or until nothing can
 * happen before a human decides, or something outside passes. What is left of it then is rows.
 */
export class Leg {
  readonly parts: EngineParts;
  readonly tree: RunTree;
  readonly deadlineMs: number;
  readonly budget = new TokenBudget();
  readonly recorder: Recorder;
  readonly waits: Waits;
  readonly #start: LegStart;
  readonly #journal: Journal;
  readonly #gates: Gates;
  readonly #changes = new Changes(() => this.#check());
  readonly #releases = new Set<() => void>();
  #root: Frame | undefined;
  #budgetWatch: BudgetWatch | undefined;
  #resolve: (end: LegEnd) => void = () => {};
  #asking = 0;
  #ending = false;
  #redoes = false;
  /** Nothing that happens in its frames counts any more. */
  dropped = false;
  /** No new steps are begun: the process is about to end. */
  draining = false;

  constructor(parts: EngineParts, start: LegStart) {
    const { tree, fence, deadlineMs } = start;
    this.parts = parts;
    this.#start = start;
    this.tree = tree;
    this.deadlineMs = deadlineMs;
    this.#journal = new Journal(parts, fence, () => this.#lose(), start.onStep);
    this.recorder = new Recorder({
      ...{ engine: parts, tree, journal: this.#journal },
      tokens: () => this.#root?.counter.used ?? 0,
      stored: (runId, ord) => start.feed.stored(tree.rootId, runId, ord),
    });
    this.waits = new Waits(this);
    this.#gates = new Gates((asks) => this.recorder.ask(asks));
  }

  run(body: Body): Promise<LegEnd> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const { root } = this.tree;
      const frame = new Frame(this, root, this.#start.caller, this.#start.scopes);
      this.#root = frame;
      this.#budgetWatch = new BudgetWatch(root, frame.counter, this.parts.emit);
      guardTime(this, frame);
      void frame.work(body).then((end) => this.#endRoot(frame, end));
    });
  }

  hold(op: Op): void {
    op.state = 'held';
    this.changed();
  }

  /** Waits before a step is done once more. When the process is about to end, the next one does it. */
  async pause(op: Op, ms: number): Promise<void> {
    let over = false;
    const cancel = this.parts.after(ms, () => {
      over = true;
      this.changed();
    });
    this.onDrop(cancel);
    await this.until(() => over || this.draining);
    if (over) return;
    cancel();
    op.left = true;
    this.hold(op);
    return never();
  }

  /** Asks a human about a step, together with all others of this turn of the event loop. */
  async ask(op: Op, request: GateRequest, n: number): Promise<void> {
    this.#asking++;
    const { newId, now } = this.parts;
    const { run, path } = op.frame;
    const about = { run, root: this.tree.root, path, approvalId: newId(), n, nowMs: now() };
    await this.#gates.ask(op, toQuestion(op, request, about));
    this.#asking--;
  }

  write(runId: string, piece: WrittenPiece): void {
    if (!this.dropped) this.#start.feed.write(this.tree.rootId, runId, piece);
  }

  onDrop(release: () => void): void {
    if (this.dropped) release();
    else this.#releases.add(release);
  }

  /** Something settled, or began to wait. */
  changed(): void {
    this.#changes.happened();
  }

  /** Settles when the condition holds, looked at after each change. */
  until(condition: () => boolean): Promise<void> {
    return this.#changes.until(condition);
  }

  warnOfBudget(): void {
    this.#budgetWatch?.look();
  }

  /** The root fails, whatever runs; nobody in a frame can catch it. @param cause what the code threw, if that is why */
  mismatch(error: ReplayMismatch, cause?: unknown): Promise<never> {
    this.parts.log('error', error.message, {
      run_id: this.tree.rootId,
      ...(cause !== undefined && { error: cause }),
    });
    this.fail({ code: 'replay_mismatch', message: error.message, status: 500 });
    return never();
  }

  fail(error: RunError): void {
    if (this.#ending || this.dropped) return;
    this.#ending = true;
    this.#root?.abort(new HTTPError(error.status, error.message, { code: error.code }));
    this.#freeze();
    void this.recorder
      .seal({ runId: this.tree.rootId, status: 'failed', output: null, error })
      .then(() => this.#leave('ended'));
  }

  /** The root is cancelled, or not ours any more: everything under way is given up at once. */
  cancel(): void {
    // Its end is being written: the store alone knows whether that still counts, and the journal is told.
    if (this.dropped || this.#ending) return;
    this.#lose();
  }

  /** Begins nothing new, and gives the root back when nothing runs any more. */
  drain(): void {
    this.draining = true;
    this.changed();
  }

  /** Gives the root back whatever runs. */
  giveUp(): void {
    if (this.dropped || this.#ending) return;
    this.#root?.abort(new HTTPError(503, 'the server is shutting down'));
    this.#leave('released');
  }

  /** The service cannot work on the root: nothing of that is recorded, and it is tried again later. */
  disturb(error: HostError): Promise<never> {
    if (!this.dropped && !this.#ending) {
      this.parts.log('error', 'a run was disturbed, and is tried again', { run_id: this.tree.rootId, error });
      this.#root?.abort(error);
      this.#leave('disturbed');
    }
    return never();
  }

  /**
   * Undoes what made a run fail, if that was recorded before its root was retried: then it is asked for it again in the next
   * leg, which begins when nothing else can happen in this one.
   *
   * @returns whether it did: the run has not ended
   */
  async redo(frame: Frame, end: BodyEnd): Promise<boolean> {
    const { retryOrd = 0 } = this.#start.fence;
    if (end.ok || retryOrd === 0) return false;
    const ops = frame.steps.fatal(end.error).filter(({ ord }) => (ord ?? 0) <= retryOrd);
    if (ops.length === 0) return false;
    await this.#journal.redo({ runId: frame.runId, ops: ops.map(toRedone) });
    this.#redoes = true;
    return true;
  }

  /** Whether nothing can happen before a human decides, or something outside passes: then the leg is over. */
  #check(): void {
    const root = this.#root;
    if (this.#ending || this.#asking > 0 || !root?.stuck) return;
    const frame = root.frames.find(({ steps }) => steps.values.some);
    // Values that no step followed: a run that waits keeps them, too.
    if (frame) void frame.storeValues().then(() => this.changed());
    else this.#leave(this.#whenStuck);
  }

  get #whenStuck(): LegEnd {
    if (this.draining) return 'released';
    return this.#redoes ? 'again' : 'held';
  }

  async #endRoot(frame: Frame, end: BodyEnd): Promise<void> {
    if (this.#ending) return;
    if (await this.redo(frame, end)) return this.dropped ? undefined : this.#leave('again');
    if (this.#ending) return;
    const finish = await frame.toFinish(end);
    if (this.#ending) return;
    this.#ending = true;
    await this.recorder.finish(finish);
    this.#leave('ended');
  }

  #lose(): void {
    if (this.dropped && !this.#ending) return;
    this.#root?.abort(new DOMException('the run was cancelled', 'AbortError'));
    this.#leave('lost');
  }

  /** Drops the frames. Only what ends the root can still be written. */
  #freeze(): void {
    this.dropped = true;
    for (const release of this.#releases) release();
    this.#releases.clear();
    this.#changes.end();
    this.#root?.drop();
  }

  #leave(end: LegEnd): void {
    this.#freeze();
    this.#journal.close();
    this.#resolve(end);
  }
}
