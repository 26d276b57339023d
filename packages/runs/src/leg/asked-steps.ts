import type { Json } from '@waymark/contract';
import type { OpResult, OpSpec, RunUsage, Step } from '@waymark/contract/runs';
import type { OpRecord } from '@waymark/contract/stores';
import { UsageTally } from '../budget/usage.ts';
import { isFailure } from '../journal/redone.ts';
import { fromStoredError } from '../journal/stored-error.ts';
import { clone, copy } from '../journal/stored-form.ts';
import { attempt } from './attempt.ts';
import type { LegPort } from './leg-port.ts';
import { type Asker, Op, type OpFrame } from './op.ts';

const none: readonly never[] = [];

/** Steps of a frame, numbered as its code asks for them: recorded ones are given to it again, others are done. */
export class AskedSteps {
  readonly #leg: LegPort;
  readonly #frame: OpFrame;
  readonly #tally: UsageTally;
  /** Values that no commit took yet. The code has them already; what acts on the world waits until they are stored. */
  #values: Omit<OpRecord, 'ord'>[] = [];
  /** Failures that the code was given, in their order; and those after which it has asked for nothing. */
  readonly #failures: OpRecord[] = [];
  #unanswered: OpRecord[] = [];

  constructor(leg: LegPort, frame: OpFrame) {
    this.#leg = leg;
    this.#frame = frame;
    this.#tally = new UsageTally(frame.run, leg.tree.root);
  }

  get usage(): RunUsage {
    return this.#tally.usage;
  }

  /** The kind of the recorded step with the next number. */
  get next(): OpSpec['kind'] | undefined {
    const { runId, nextSeq } = this.#frame;
    return this.#leg.tree.op(runId, nextSeq)?.kind;
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

  /** Gives the values to a commit. */
  takeValues(): readonly Omit<OpRecord, 'ord'>[] {
    if (this.#values.length === 0) return none;
    const values = this.#values;
    this.#values = [];
    this.#leg.happen({ on: 'took', frame: this.#frame });
    return values;
  }

  value<T extends Json>(name: string, make: () => T): T {
    const leg = this.#leg;
    const op = this.#next({ kind: 'value', name, input: null, repeat: 'safe' });
    leg.happen({ on: 'value', op, found: op.found });
    if (op.phase !== 'settled') throw ended();
    // A value of the same name: what `make` gives is of this type, and so was what it gave before.
    if (op.row) return clone(op.row.value) as T;
    const value = copy(make(), `what ${name} gave`);
    this.#values.push(op.toRow('done', value, this.#tally.treeTokens, op.startedMs));
    leg.happen({ on: 'valued', frame: this.#frame });
    return value;
  }

  op<T extends Json>(spec: OpSpec, body: (step: Step) => Promise<OpResult<T>>): Promise<T> {
    const promise = new Promise<T>((resolve, reject) => {
      // Recorded by this very op, so of its type.
      const asker = { body, resolve: (value: Json) => resolve(value as T), reject };
      const op = this.#next(spec, asker);
      this.#leg.happen({ on: 'asked', op, found: op.found });
    });
    // Code may look at a result later, or never.
    promise.catch(() => {});
    return promise;
  }

  #next(spec: OpSpec, asker?: Asker): Op {
    if (this.#unanswered.length > 0 && this.#frame.phase === 'working') this.#unanswered = [];
    const { tree, parts } = this.#leg;
    const { runId, nextSeq } = this.#frame;
    return new Op(this.#frame, spec, tree.op(runId, nextSeq), parts, asker);
  }

  /** Does the step and stores what came of it. Nothing is delivered when the frame is dropped first. */
  async execute(op: Op): Promise<void> {
    try {
      await this.#execute(op);
    } catch (error) {
      this.#leg.broke(error);
    }
  }

  async #execute(op: Op): Promise<void> {
    if (!op.asker) return;
    const leg = this.#leg;
    for (;;) {
      const due = leg.waits.untilDue(op);
      // What was never tried is tried in this turn of the event loop.
      if (due) await due;
      const tried = await attempt(leg, op, op.asker.body);
      if (this.#frame.over) return;
      if (tried.state === 'waiting') await leg.recorder.postpone(op, tried);
      else {
        op.row = await leg.recorder.settle(op, tried);
        leg.happen({ on: 'stored', op, ord: op.row.ord ?? 0 });
        return;
      }
    }
  }

  /** Gives the code what is recorded of a step. */
  deliver({ row, runId, seq, asker }: Op): void {
    if (!row) return;
    if (isFailure(row)) {
      this.#failures.push(row);
      this.#unanswered.push(row);
    }
    this.#tally.add(row, this.#leg.tree.spendOf(runId, seq));
    if (row.state === 'done') asker?.resolve(clone(row.value));
    else asker?.reject(fromStoredError(row.value));
  }

  /** Answers a step that was asked for after the end of the code. */
  refuse({ asker }: Op): void {
    asker?.reject(ended());
  }
}

function messageOf(value: Json): Json | undefined {
  return typeof value === 'object' && value !== null && 'message' in value ? value.message : undefined;
}

function ended(): Error {
  return new Error('the run has ended: nothing can be asked of it any more');
}
