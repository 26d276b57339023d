import type { Json, OpRecord, OpResult, OpSpec, RunUsage, Spend, Step } from '@waymark/contract';
import { attempt } from './attempt.ts';
import { Delivery } from './delivery.ts';
import type { Frame } from './frame.ts';
import { never } from './never.ts';
import { Op } from './op.ts';
import { PendingValues } from './pending-values.ts';
import { isFailure } from './redone.ts';
import { describe, ReplayMismatch } from './replay-mismatch.ts';
import { clone, copy } from './settled.ts';
import { fromStoredError } from './stored-error.ts';
import { UsageTally } from './usage.ts';

/** What a step that is asked for while the process is about to end is known by. */
const unheard = { kind: 'value', name: '', input: null, repeat: 'safe' } as const;

type Deliver = (row: OpRecord, spend: readonly Spend[]) => void;

/** What the code of a frame asks for, numbered as it asks: recorded steps are given to it again, others are done. */
export class AskedSteps {
  readonly values = new PendingValues();
  readonly delivery: Delivery;
  readonly #frame: Frame;
  readonly #tally: UsageTally;
  /** Called and not delivered. */
  readonly #outstanding = new Set<Op>();
  #nextSeq = 0;
  /** Failures that the code was given, in their order; and those after which it has asked for nothing. */
  readonly #failures: OpRecord[] = [];
  #unanswered: OpRecord[] = [];

  constructor(frame: Frame) {
    this.#frame = frame;
    const { tree } = frame.leg;
    this.#tally = new UsageTally(frame.run, tree.root);
    this.delivery = new Delivery(recordedIn(tree.opsOf(frame.runId)));
  }

  get usage(): RunUsage {
    return this.#tally.usage;
  }

  /** The kind of the recorded step with the next number. */
  get next(): OpSpec['kind'] | undefined {
    return this.#frame.leg.tree.op(this.#frame.runId, this.#nextSeq)?.kind;
  }

  /** Whether the code waits for anything. */
  get some(): boolean {
    return this.#outstanding.size > 0;
  }

  /** Frames of runs that were begun here and have not ended. */
  get children(): readonly Frame[] {
    return [...this.#outstanding].flatMap(({ child }) => child ?? []);
  }

  /** Nothing happens here before a human decides, or something outside passes. */
  get stuck(): boolean {
    for (const op of this.#outstanding) if (!op.stuck) return false;
    return this.#outstanding.size > 0;
  }

  /** Whether something is left to the next process. */
  get left(): boolean {
    for (const op of this.#outstanding) if (op.left) return true;
    return false;
  }

  /** Whether anything is under way that has to be recorded. */
  get quiet(): boolean {
    for (const op of this.#outstanding) if (op.left || (!op.stuck && op.acts)) return false;
    return true;
  }

  /** A step that is recorded and was not asked for again. */
  get forgotten(): ReplayMismatch | undefined {
    const { leg, runId } = this.#frame;
    for (const row of leg.tree.opsOf(runId))
      if (row.seq >= this.#nextSeq)
        return new ReplayMismatch(runId, row.seq, describe(row), 'the end of the run');
    return undefined;
  }

  /**
   * The failure that the code did not survive: the one that it failed with, if need be from before other branches asked for
   * more. Where it failed in other words, all after which it asked for nothing.
   */
  fatal(error: unknown): readonly OpRecord[] {
    const message = error instanceof Error ? error.message : undefined;
    const isOwn = ({ value }: OpRecord): boolean => messageOf(value) === message;
    const own = this.#unanswered.findLast(isOwn) ?? this.#failures.findLast(isOwn);
    return own ? [own] : this.#unanswered;
  }

  value<T extends Json>(name: string, make: () => T): T {
    const op = this.#number({ kind: 'value', name, input: null, repeat: 'safe' });
    if (!op) throw new Error('the run differs from its journal');
    // A value of the same name: what `make` gives is of this type, and so was what it gave before.
    if (op.row) return clone(op.row.value) as T;
    const value = copy(make());
    this.values.add(op.toRow('done', value, this.#tally.treeTokens, op.startedMs));
    return value;
  }

  op<T extends Json>(spec: OpSpec, body: (step: Step) => Promise<OpResult<T>>): Promise<T> {
    const promise = new Promise<T>((resolve, reject) => {
      const op = this.#number(spec);
      if (!op) return;
      this.#outstanding.add(op);
      const deliver: Deliver = (row, spend) => {
        if (this.#frame.over) return;
        this.#settle(op, row, spend);
        // Recorded by this very op, so of its type.
        if (row.state === 'done') resolve(clone(row.value) as T);
        else reject(fromStoredError(row.value));
      };
      const { row } = op;
      if (row && (row.state === 'done' || row.state === 'failed'))
        this.delivery.ask(op.seq, () => deliver(row, this.#frame.leg.tree.spendOf(op.runId, op.seq)));
      else void this.#execute(op, body, deliver);
    });
    // Code may look at a result later, or never.
    promise.catch(() => {});
    return promise;
  }

  /** A step that is asked for while the process is about to end: another one will do it. */
  leave<T>(): Promise<T> {
    const op = new Op(this.#frame, this.#nextSeq, unheard, undefined);
    this.#outstanding.add(op);
    this.#frame.leg.hold(op);
    return never();
  }

  /** Delivers nothing more. */
  drop(): void {
    this.delivery.drop();
    for (const child of this.children) child.drop();
    this.#outstanding.clear();
  }

  /** @returns undefined when something else is recorded: the root has failed. @throws the code has ended */
  #number(spec: OpSpec): Op | undefined {
    const { closed, leg, runId } = this.#frame;
    if (closed) throw new Error('the run has ended: nothing can be asked of it any more');
    const seq = this.#nextSeq++;
    if (this.#unanswered.length > 0) this.#unanswered = [];
    const op = new Op(this.#frame, seq, spec, leg.tree.op(runId, seq));
    if (!op.row || op.isIn(op.row)) return op;
    void leg.mismatch(new ReplayMismatch(runId, seq, describe(op.row), describe(op.spec)));
    return undefined;
  }

  /** Does the step and stores what came of it. Nothing is delivered when the frame is dropped first. */
  async #execute(op: Op, body: (step: Step) => Promise<OpResult<Json>>, deliver: Deliver): Promise<void> {
    const { waits, recorder } = this.#frame.leg;
    for (;;) {
      const due = waits.untilDue(op);
      // What was never tried is tried in this turn of the event loop.
      if (due) await due;
      const tried = await attempt(op, body);
      if (this.#frame.over) return;
      if (tried.state === 'waiting') await recorder.postpone(op, tried);
      else {
        const { row, spend, ord } = await recorder.settle(op, tried);
        this.delivery.add(ord, () => deliver(row, spend));
        return;
      }
    }
  }

  #settle(op: Op, row: OpRecord, spend: readonly Spend[]): void {
    op.state = 'settled';
    if (isFailure(row)) {
      this.#failures.push(row);
      this.#unanswered.push(row);
    }
    this.#outstanding.delete(op);
    this.#tally.add(row, spend);
    // Without any other step the code has something to do: nothing can be stuck.
    if (this.#frame.closed || this.#outstanding.size > 0) this.#frame.leg.changed();
  }
}

/** `seq` of the results that are delivered again, in the order in which they were stored. */
function recordedIn(ops: Iterable<OpRecord>): readonly number[] {
  const recorded = [...ops].filter(({ ord, kind }) => ord !== null && kind !== 'value');
  return recorded.sort((a, b) => (a.ord ?? 0) - (b.ord ?? 0)).map(({ seq }) => seq);
}

function messageOf(value: Json): Json | undefined {
  return typeof value === 'object' && value !== null && 'message' in value ? value.message : undefined;
}
