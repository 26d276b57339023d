import type { ToolResult } from '@waymark/contract';
import type { Spend } from '@waymark/contract/models';
import type { OpSpec } from '@waymark/contract/runs';
import type {
  Approval,
  AskedWait,
  OpCommit,
  OpRecord,
  RunFinish,
  RunRecord,
  TimedWait,
  Transaction,
} from '@waymark/contract/stores';
import type { Event } from '../core/event.ts';
import type { EngineParts } from '../engine-parts.ts';
import { canonicalJson } from '../journal/fingerprint.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunTree } from '../journal/run-tree.ts';
import { noticesOfApprovals, noticesOfEnd } from '../notices.ts';
import type { Ask } from './gates.ts';
import type { Op, OpFrame } from './op.ts';
import { applyEnd } from './run-end.ts';
import type { Postponed, Settled } from './settled.ts';

/** Journal and rows of a recorder, and whom it tells. */
export interface RecorderParts {
  readonly engine: EngineParts;
  readonly tree: RunTree;
  readonly journal: Journal;
  /** Told what a write means to the leg. */
  happen(event: Event): void;
  /** Tokens of the whole tree by now. */
  tokens(): number;
  /** Told of each step that can be read now. */
  stored(runId: string, ord: number): void;
}

/** Writes what happens in a leg: to the store first, then into the rows in memory; then whoever follows is told to read it. */
export class Recorder {
  readonly #parts: RecorderParts;
  /** Calls under way that are noted. */
  readonly #begun = new Set<Op>();

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  async startChild(run: RunRecord): Promise<void> {
    const { journal, tree } = this.#parts;
    await journal.startChild(run);
    tree.putRun(run);
  }

  async finish(finish: RunFinish): Promise<RunRecord> {
    const { journal, tree, engine } = this.#parts;
    await journal.finish(this.#told(finish), isAlone(tree) && this.#begun.size === 0);
    return applyEnd(tree, finish, engine.now());
  }

  /** The root ends, whatever is under way. */
  async seal(finish: RunFinish): Promise<void> {
    const { journal, tree, engine } = this.#parts;
    await journal.seal(this.#told(finish));
    applyEnd(tree, finish, engine.now());
  }

  /** Notes what a call under way costs, should its process end before it does. */
  begin(op: Op): void {
    const { runId, seq, startedMs, spec } = op;
    const spend = estimateOf(spec);
    if (!spend) return;
    this.#begun.add(op);
    const { kind, name } = spec;
    this.#parts.journal.begin({ runId, seq, kind, name, startedMs, spend: [spend] });
  }

  async markStarted(op: Op): Promise<void> {
    await this.commit(op.frame, { ops: [op.toRow('started', null, this.#parts.tokens(), null)] });
  }

  /** Commits a result with its effect. @throws {LostRun} */
  async record(op: Op, result: ToolResult, transaction: Transaction): Promise<void> {
    const { journal, tokens, happen } = this.#parts;
    const row = op.toRow('done', result, tokens(), op.endedMs);
    const [ord = 0] = await journal.record({ ops: [row] }, transaction);
    op.recorded = { row: { ...row, ord }, result };
    happen({ on: 'numbered', frame: op.frame, ord });
  }

  /** Stores what came of a step. */
  async settle(op: Op, { state, value, spend }: Settled): Promise<OpRecord> {
    const { journal, tokens, engine, happen } = this.#parts;
    const { recorded, asked, frame } = op;
    this.#begun.delete(op);
    if (recorded) journal.recorded();
    if (recorded && canonicalJson(recorded.result) === canonicalJson(value))
      return this.#wrote(recorded.row, spend);
    const row = op.toRow(state, value, tokens(), op.endedMs);
    const withdrawn = asked && { ...asked, status: 'withdrawn' as const, decidedMs: engine.now() };
    const approvals = withdrawn ? [withdrawn] : [];
    const { numbers, values } = await this.commit(frame, { ops: [row], spend, approvals });
    const stored = recorded ? await this.#stored(op, row) : { ...row, ord: numbers[values] ?? 0 };
    if (recorded) happen({ on: 'undone', frame, ord: recorded.row.ord ?? 0 });
    const written = this.#wrote(stored, spend);
    if (withdrawn) {
      // What is stored after it is heard of first.
      happen({ on: 'numbered', frame, ord: written.ord ?? 0 });
      // Its time, too, is the store's.
      const [{ decidedMs } = withdrawn] = await journal.approvals([withdrawn.approvalId]);
      this.#wroteApproval({ ...withdrawn, decidedMs, decidedOrd: numbers.at(-1) ?? null });
    }
    return written;
  }

  /** Stores that a step is tried again, and what the try cost. */
  async postpone(op: Op, { wait, spend }: Postponed): Promise<void> {
    const { tree, tokens, engine } = this.#parts;
    const { runId, seq } = op;
    const row = op.toRow('waiting', null, tokens(), null);
    await this.commit(op.frame, { ops: [row], spend, wait });
    op.row = { ...row, ord: null };
    tree.putOp(op.row);
    for (const one of spend) tree.addSpend({ ...one, runId, seq });
    tree.putWait(toTimedWait(wait, tree.rootId, engine.now()));
    const { attempts, agent, provider, model, reason } = wait;
    if (attempts === 1) engine.emit({ kind: 'run_waiting', run_id: runId, agent, provider, model, reason });
  }

  /** Commits, with the values of the frame first. @returns the numbers given, and how many of them are of values */
  async commit(frame: OpFrame, commit: OpCommit): Promise<{ numbers: readonly number[]; values: number }> {
    const { journal, happen } = this.#parts;
    const values = frame.takeValues();
    if (values.length === 0) return { numbers: await journal.commit(commit), values: 0 };
    const numbers = await journal.commit({ ...commit, ops: [...values, ...commit.ops] });
    this.#putValues(values, numbers);
    happen({ on: 'kept', frame });
    return { numbers, values: values.length };
  }

  /** Stores all questions of one turn of the event loop, and the values before them. */
  async ask(asks: readonly Ask[]): Promise<void> {
    const { journal, tree, tokens, engine, happen } = this.#parts;
    const frames = new Map<OpFrame, readonly Omit<OpRecord, 'ord'>[]>();
    for (const { op } of asks) if (!frames.has(op.frame)) frames.set(op.frame, op.frame.takeValues());
    const values = [...frames.values()].flat();
    const rows = asks.map(({ op }) => op.toRow('waiting', null, tokens(), null));
    const approvals = asks.map(({ question }) => question);
    const notices = noticesOfApprovals(engine, approvals);
    const numbers = await journal.commit({ ops: [...values, ...rows], approvals, notices });
    this.#putValues(values, numbers);
    for (const [frame, { length }] of frames) if (length > 0) happen({ on: 'kept', frame });
    const stored = await journal.approvals(approvals.map(({ approvalId }) => approvalId));
    for (const [i, { op, question }] of asks.entries()) {
      const { requestedMs, expiresMs } = stored[i] ?? question;
      op.row = { ...(rows[i] ?? op.toRow('waiting', null, 0, null)), ord: null };
      tree.putOp(op.row);
      const requestedOrd = numbers[values.length + i] ?? 0;
      op.asked = { ...question, requestedMs, expiresMs, requestedOrd, decidedOrd: null };
      this.#wroteApproval(op.asked);
      const { approvalId, runId, tool } = question;
      engine.emit({ kind: 'approval_requested', run_id: runId, approval_id: approvalId, tool });
    }
  }

  #told(finish: RunFinish): RunFinish {
    const { tree, engine } = this.#parts;
    const notices = noticesOfEnd(engine, tree, finish);
    return notices.length === 0 ? finish : { ...finish, notices };
  }

  #putValues(values: readonly Omit<OpRecord, 'ord'>[], numbers: readonly number[]): void {
    for (const [i, value] of values.entries()) this.#parts.tree.putOp({ ...value, ord: numbers[i] ?? null });
  }

  /** The result that was stored with its effect, when the call came to something else afterwards: the store knows. */
  async #stored({ runId, seq }: Op, row: Omit<OpRecord, 'ord'>): Promise<OpRecord> {
    const { engine, tree } = this.#parts;
    const { ops } = await engine.store.load(tree.rootId);
    return ops.find((one) => one.runId === runId && one.seq === seq) ?? { ...row, ord: 0 };
  }

  #wrote(row: OpRecord, spend: readonly Spend[]): OpRecord {
    const { tree } = this.#parts;
    const { runId, seq, ord } = row;
    tree.putOp(row);
    for (const one of spend) tree.addSpend({ ...one, runId, seq });
    this.#parts.stored(runId, ord ?? 0);
    return row;
  }

  #wroteApproval(approval: Approval): void {
    this.#parts.tree.putApproval(approval);
    this.#parts.stored(approval.runId, approval.decidedOrd ?? approval.requestedOrd);
  }
}

function toTimedWait({ giveUpInMs, ...wait }: AskedWait, rootId: string, nowMs: number): TimedWait {
  const { forMs, inMs } = wait;
  const times = { sinceMs: nowMs - forMs, dueMs: nowMs + inMs, giveUpMs: nowMs + giveUpInMs };
  return { ...wait, rootId, ...times };
}

function estimateOf({ estimate }: OpSpec): Spend | undefined {
  try {
    return estimate?.();
  } catch {
    // Of drivers that have stopped already: the call is given up, and counted as nothing.
    return undefined;
  }
}

/** Whether nothing has to end with the root: no run below it, no question to a human, no session. */
function isAlone(tree: RunTree): boolean {
  return tree.runs.length === 1 && tree.approvals.length === 0 && !tree.root.spec.session;
}
