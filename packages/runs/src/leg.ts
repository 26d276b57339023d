import {
  type Approval,
  type Call,
  type Fence,
  type GateRequest,
  HTTPError,
  type Json,
  type OpCommit,
  type OpRecord,
  type Principal,
  type Progress,
  type RunEnd,
  type RunError,
  type RunFinish,
  type RunRecord,
  type RunScope,
  type RunSpec,
  type Spend,
  type ToolResult,
  type Transaction,
} from '@waymark/contract';
import { TokenBudget } from './budget.ts';
import type { EngineParts } from './engine-parts.ts';
import { canonicalJson } from './fingerprint.ts';
import { type BodyEnd, Frame } from './frame.ts';
import { Gates, toQuestion } from './gates.ts';
import { Journal } from './journal.ts';
import { never } from './never.ts';
import type { Op } from './op.ts';
import type { ReplayMismatch } from './replay-mismatch.ts';
import { applyEnd, toChild, toFinish } from './run-end.ts';
import type { RunTree } from './run-tree.ts';
import { toApprovalStep, toOpStep } from './to-steps.ts';

/** How a leg left its root. `lost`: cancelled, or somebody else's by now. */
export type LegEnd = 'ended' | 'held' | 'released' | 'lost';

/** What a driver's function is, whatever it computes: all of it is JSON. */
export type Body = (scope: RunScope) => Promise<RunEnd<Json>>;

/** What a leg is begun with. */
export interface LegStart {
  readonly tree: RunTree;
  readonly fence: Fence;
  readonly caller: Principal;
  /** What the run may do by today's declaration. */
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  readonly observe: (progress: Progress) => void;
}

/** Runs nested deeper than this are refused (decision 2.3). */
const maxDepth = 8;

/** A recorded step that nobody asks for again for this long is logged. */
const stallMs = 5_000;

/**
 * One execution of a root with everything below it, from its start or from its journal to its end, or until nothing can
 * happen before a human decides. What is left of it then is rows.
 */
export class Leg {
  readonly parts: EngineParts;
  readonly tree: RunTree;
  readonly deadlineMs: number;
  readonly budget = new TokenBudget();
  readonly #start: LegStart;
  readonly #journal: Journal;
  readonly #gates: Gates;
  readonly #releases = new Set<() => void>();
  readonly #waiters = new Map<() => boolean, () => void>();
  #root: Frame | undefined;
  #resolve: (end: LegEnd) => void = () => {};
  #asking = 0;
  #checking = false;
  #warned = false;
  #ending = false;
  /** Nothing that happens in its frames counts any more. */
  dropped = false;
  /** No new steps are begun: the process is about to end. */
  draining = false;

  constructor(parts: EngineParts, start: LegStart) {
    this.parts = parts;
    this.#start = start;
    this.tree = start.tree;
    this.deadlineMs = start.deadlineMs;
    this.#journal = new Journal(parts, start.fence, () => this.cancel());
    this.#gates = new Gates((asks) => this.#commitAsks(asks));
  }

  run(body: Body): Promise<LegEnd> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const { root } = this.tree;
      const frame = new Frame(this, root, this.#start.caller, this.#start.scopes);
      this.#root = frame;
      this.#warned = this.#nearsBudget;
      this.#guardTime();
      void frame.work(body).then((end) => this.#endRoot(frame, end));
    });
  }

  /**
   * Runs a child in the step of its parent, or takes its end from its row. Never settles while it waits.
   *
   * @throws {HTTPError} 508 nested too deeply
   */
  async child(frame: Frame, op: Op, spec: RunSpec, call: Call, body: Body): Promise<RunRecord> {
    const depth = frame.depth + 1;
    if (depth >= maxDepth) throw new HTTPError(508, `runs are nested ${maxDepth} deep at most`);
    if (spec.session) throw new Error(`run ${op.key} is part of another: it has no session`);
    if (op.child) throw new Error(`step ${op.key} has a run already`);
    let run = this.tree.run(op.key);
    if (run && run.status !== 'running') return run;
    if (!run) {
      run = toChild(frame.run, op.key, spec, call.principal, this.parts.now());
      await this.#journal.startChild(run);
      this.tree.putRun(run);
    }
    const child = new Frame(this, run, call.principal, spec.scopes, frame);
    op.child = child;
    op.state = 'nested';
    const end = await child.work(body);
    op.state = 'active';
    const finish = await this.#toFinish(child, end);
    await this.#journal.finish(finish);
    return this.#ended(finish);
  }

  hold(op: Op): void {
    op.state = 'held';
    this.changed();
  }

  /** Asks a human about a step, together with all others of this turn of the event loop. */
  async ask(frame: Frame, op: Op, request: GateRequest, n: number): Promise<void> {
    this.#asking++;
    const { newId, now } = this.parts;
    const about = { run: frame.run, root: this.tree.root, path: frame.path, approvalId: newId(), n };
    await this.#gates.ask(op, toQuestion(op, request, { ...about, nowMs: now() }));
    this.#asking--;
  }

  async markStarted(frame: Frame, op: Op): Promise<void> {
    await this.commit(frame, { ops: [op.toRow('started', null, this.#treeTokens, null)] });
  }

  /** Commits a result with its effect. @throws {LostRun} */
  async record(frame: Frame, op: Op, result: ToolResult, transaction: Transaction): Promise<void> {
    const row = op.toRow('done', result, this.#treeTokens, this.parts.now());
    const [ord = 0] = await this.#journal.record({ ops: [row] }, transaction);
    op.recorded = { ord, result };
    frame.delivery.expect(ord);
  }

  /** Stores what came of a step. */
  async settle(
    frame: Frame,
    op: Op,
    { state, value, spend }: { state: 'done' | 'failed'; value: Json; spend: readonly Spend[] },
  ): Promise<{ row: OpRecord; spend: readonly Spend[]; ord: number }> {
    const row = op.toRow(state, value, this.#treeTokens, this.parts.now());
    const { recorded } = op;
    if (recorded && canonicalJson(recorded.result) === canonicalJson(value)) {
      const stored = { ...row, ord: recorded.ord };
      this.#wrote(stored, spend);
      return { row: stored, spend, ord: recorded.ord };
    }
    const approvals = op.asked
      ? [{ ...op.asked, status: 'withdrawn' as const, decidedMs: this.parts.now() }]
      : [];
    const { numbers, values } = await this.commit(frame, { ops: [row], spend, approvals });
    const stored = recorded ? await this.#stored(op, row) : { ...row, ord: numbers[values] ?? 0 };
    if (recorded) frame.delivery.forget(recorded.ord);
    this.#wrote(stored, spend);
    for (const approval of approvals)
      this.#wroteApproval({ ...approval, decidedOrd: numbers.at(-1) ?? null });
    return { row: stored, spend, ord: stored.ord ?? 0 };
  }

  /** Commits, with the values of the frame first. @returns the numbers given, and how many of them are of values */
  async commit(frame: Frame, commit: OpCommit): Promise<{ numbers: readonly number[]; values: number }> {
    const values = frame.takeValues();
    const written = this.#journal.commit({ ...commit, ops: [...values, ...commit.ops] });
    if (values.length > 0) frame.storing(written);
    const numbers = await written;
    for (const [i, value] of values.entries()) this.tree.putOp({ ...value, ord: numbers[i] ?? null });
    return { numbers, values: values.length };
  }

  tell(progress: Progress): void {
    if (!this.dropped) this.#start.observe(progress);
  }

  onDrop(release: () => void): void {
    if (this.dropped) release();
    else this.#releases.add(release);
  }

  /** Something settled, or began to wait: what waits for that is looked at in the next turn of the event loop. */
  changed(): void {
    if (this.#checking || this.dropped) return;
    this.#checking = true;
    setImmediate(() => {
      this.#checking = false;
      if (!this.dropped) this.#check();
    });
  }

  /** Settles when the condition holds, looked at after each change. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.set(condition, resolve));
  }

  /** The root fails, whatever runs; nobody in a frame can catch it. */
  mismatch(error: ReplayMismatch): Promise<never> {
    this.fail({ code: 'replay_mismatch', message: error.message, status: 500 });
    return never();
  }

  fail(error: RunError): void {
    if (this.#ending || this.dropped) return;
    this.#ending = true;
    const root = this.#root;
    root?.abort(new HTTPError(error.status, error.message, { code: error.code }));
    this.#freeze();
    const finish: RunFinish = { runId: this.tree.rootId, status: 'failed', output: null, error };
    void this.#journal.seal(finish).then(() => {
      this.#ended(finish);
      this.#leave('ended');
    });
  }

  /** The root is cancelled, or not ours any more: everything under way is given up at once. */
  cancel(): void {
    if (this.dropped && !this.#ending) return;
    this.#root?.abort(new DOMException('the run was cancelled', 'AbortError'));
    this.#leave('lost');
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

  /** Audits once that most of the root's budget is used. */
  warnOfBudget(): void {
    if (this.#warned || !this.#nearsBudget) return;
    this.#warned = true;
    const { root } = this.tree;
    const limit = root.spec.tokenBudget;
    this.parts.emit({
      kind: 'budget_warning',
      run_id: root.runId,
      tokens: this.#treeTokens,
      token_budget: limit,
    });
  }

  get #treeTokens(): number {
    return this.#root?.counter.used ?? 0;
  }

  get #nearsBudget(): boolean {
    const { tokenBudget } = this.tree.root.spec;
    return tokenBudget !== null && this.#treeTokens >= 0.8 * tokenBudget;
  }

  #check(): void {
    for (const [condition, resolve] of this.#waiters)
      if (condition()) {
        this.#waiters.delete(condition);
        resolve();
      }
    const root = this.#root;
    if (this.#ending || this.#asking > 0 || !root) return;
    if (!root.stuck) return;
    const frame = root.frames.find(({ hasValues }) => hasValues);
    // Values that no step followed: a run that waits keeps them, too.
    if (frame) void frame.storeValues().then(() => this.changed());
    else this.#leave(this.draining ? 'released' : 'held');
  }

  async #endRoot(frame: Frame, end: BodyEnd): Promise<void> {
    if (this.#ending) return;
    const finish = await this.#toFinish(frame, end);
    if (this.#ending) return;
    this.#ending = true;
    await this.#journal.finish(finish);
    this.#ended(finish);
    this.#leave('ended');
  }

  async #toFinish(frame: Frame, end: BodyEnd): Promise<RunFinish> {
    if (frame.hasValues) await frame.storeValues();
    return toFinish(frame.run, end, this.parts.log);
  }

  #ended(finish: RunFinish): RunRecord {
    return applyEnd(this.tree, finish, this.parts.now());
  }

  /** The result that was stored with its effect, when the call came to something else afterwards: the store knows. */
  async #stored(op: Op, row: Omit<OpRecord, 'ord'>): Promise<OpRecord> {
    const { ops } = await this.parts.store.load(this.tree.rootId);
    const found = ops.find(({ runId, seq }) => runId === op.runId && seq === op.seq);
    return found ?? { ...row, ord: 0 };
  }

  async #commitAsks(
    asks: readonly { readonly op: Op; readonly question: Omit<Approval, 'requestedOrd' | 'decidedOrd'> }[],
  ): Promise<void> {
    const frames = new Map(asks.map(({ op }) => [op.frame.runId, op.frame]));
    const values = [...frames.values()].flatMap((frame) => frame.takeValues());
    const rows = asks.map(({ op }) => op.toRow('waiting', null, this.#treeTokens, null));
    const approvals = asks.map(({ question }) => question);
    const written = this.#journal.commit({ ops: [...values, ...rows], approvals });
    for (const frame of frames.values()) frame.storing(written);
    const numbers = await written;
    for (const [i, value] of values.entries()) this.tree.putOp({ ...value, ord: numbers[i] ?? null });
    for (const [i, { op, question }] of asks.entries()) {
      op.row = { ...(rows[i] ?? op.toRow('waiting', null, 0, null)), ord: null };
      this.tree.putOp(op.row);
      op.asked = { ...question, requestedOrd: numbers[values.length + i] ?? 0, decidedOrd: null };
      this.#wroteApproval(op.asked);
      const { approvalId, runId, tool } = question;
      this.parts.emit({ kind: 'approval_requested', run_id: runId, approval_id: approvalId, tool });
    }
  }

  #wrote(row: OpRecord, spend: readonly Spend[]): void {
    const { runId, seq } = row;
    this.tree.putOp(row);
    for (const one of spend) this.tree.addSpend({ ...one, runId, seq });
    this.#tellStep(toOpStep(row, this.tree));
  }

  #wroteApproval(approval: Approval): void {
    this.tree.putApproval(approval);
    this.#tellStep(toApprovalStep(approval));
  }

  #tellStep(step: ReturnType<typeof toOpStep>): void {
    if (step) this.tell({ event: 'step', data: step, id: step.seq });
  }

  #guardTime(): void {
    const { after, now, log } = this.parts;
    const startedMs = now();
    const { deadlineMs } = this;
    if (Number.isFinite(deadlineMs))
      this.onDrop(
        after(Math.max(0, deadlineMs - startedMs), () => {
          const stalled = this.#stalled;
          const seconds = (deadlineMs - startedMs) / 1_000;
          if (stalled) this.fail({ code: 'replay_mismatch', message: stalled, status: 500 });
          else this.fail({ code: 'timeout', message: `timed out after ${seconds} s`, status: 504 });
        }),
      );
    if (this.tree.opsOf(this.tree.rootId).length === 0) return;
    this.onDrop(
      after(stallMs, () => {
        const stalled = this.#stalled;
        if (stalled) log('warn', 'a replay stands still', { run_id: this.tree.rootId, reason: stalled });
      }),
    );
  }

  /** The recorded step that the code does not ask for again. */
  get #stalled(): string | undefined {
    for (const frame of this.#root?.frames ?? []) {
      const seq = frame.delivery.awaited;
      if (seq !== undefined && !frame.closed)
        return `run ${frame.runId} differs from its journal at step ${seq}: it is recorded, and not asked for`;
    }
    return undefined;
  }

  /** Drops the frames. Only what ends the root can still be written. */
  #freeze(): void {
    this.dropped = true;
    for (const release of this.#releases) release();
    this.#releases.clear();
    this.#waiters.clear();
    this.#root?.drop();
  }

  #leave(end: LegEnd): void {
    this.#freeze();
    this.#journal.close();
    this.#resolve(end);
  }
}
