import { Delivery } from '../../src/core/delivery.ts';
import type { Command, Event, LegEnd } from '../../src/core/event.ts';
import { react } from '../../src/core/react.ts';
import type { FrameState, LegPhase, LegState, OpState } from '../../src/core/state.ts';
import { checkFinish, checkIdle, Violation } from './checks.ts';
import type { ModelProcess } from './model-process.ts';
import type { Approval, Row } from './model-store.ts';
import { declined, type Leaf, type Program, perform, type Result, type Scope } from './programs.ts';

/** Something else is recorded, or the code has ended. */
const refused: Result = -2;
/** The process stopped between an effect and its record. */
const unknownOutcome: Result = -3;

/** A step, and what the model knows of it by itself. */
export interface ModelOp extends OpState {
  readonly frame: ModelFrame;
  readonly leaf: Leaf;
  readonly done: (result: Result) => void;
  readonly after: ModelOp | undefined;
  readonly row: Row | undefined;
  /** Told when the code has its result. */
  readonly waiters: (() => void)[];
  /** How many values its code had before. */
  readonly valuesBefore: number;
  child: ModelFrame | undefined;
  /** Whether it waits for a human, or for the step before it. */
  waits: boolean;
  /** It is done once more in a moment. */
  isPaused: boolean;
  /** It was begun, or given again. */
  begun: boolean;
  /** A question of it is pending, as far as its leg knows. */
  isAsked: boolean;
  openOrd: number;
  result: Result | undefined;
}

/** A run in a leg, and what the model knows of it by itself. */
export interface ModelFrame extends FrameState {
  readonly leg: ModelLeg;
  readonly runId: string;
  readonly above: ModelOp | undefined;
  readonly recorded: readonly (Row | undefined)[];
  /** Asked for and not delivered. */
  readonly open: Set<ModelOp>;
  /** Numbers of its values in this leg. */
  readonly values: number[];
  taken: { readonly seq: number; readonly result: Result }[];
  asked: number;
  delivered: number;
  lastOrd: number;
  hasEnded: boolean;
  isFinished: boolean;
  result: Result;
}

/** One leg: does what the core says as the engine does, with a queue for each thing that takes time, and checks it. */
export class ModelLeg implements LegState {
  phase: LegPhase = 'working';
  root: FrameState | undefined;
  looks = false;
  redoes = false;
  readonly process: ModelProcess;
  readonly epoch: number;
  readonly wakes: number;
  /** How it left. */
  end: LegEnd | undefined;
  isDraining = false;
  isFailing = false;
  /** What it knew of the store when it began, and wrote itself. */
  readonly #rows: ReadonlyMap<string, readonly (Row | undefined)[]>;
  readonly #runs: ReadonlyMap<string, Result | undefined>;
  readonly #approvals: Map<string, Approval>;
  readonly #waits: Set<string>;
  /** Code that was given a result. */
  readonly #code: (() => void)[] = [];
  #isRunning = false;
  /** Its root has ended. */
  #hasEnded = false;

  constructor(process: ModelProcess, fence: { readonly epoch: number; readonly wakes: number }) {
    const { store, counts } = process.world;
    counts.legs++;
    this.process = process;
    this.epoch = fence.epoch;
    this.wakes = fence.wakes;
    this.#rows = new Map([...store.rows].map(([run, rows]) => [run, [...rows]]));
    this.#runs = new Map(store.runs);
    this.#waits = new Set(store.waits);
    this.#approvals = new Map([...store.approvals].map(([key, one]) => [key, { ...one }]));
  }

  begin(program: Program): void {
    const root = this.#frame('r', undefined);
    this.root = root;
    this.#perform(root, program);
  }

  /** Code goes on when all is done that is to be done, as promises have it. */
  happen(event: Event): void {
    for (const command of react(this, event)) this.#do(command);
    this.#run();
  }

  /** As the journal has it: what is written after the end does not count, and nobody hears of it. */
  write(apply: () => void, heard: () => void, isLast = false): void {
    const isOver = (): boolean =>
      isLast ? this.end !== undefined : this.isFailing || this.end !== undefined;
    if (isOver()) return;
    this.process.writes.push({
      leg: this,
      apply,
      heard: () => {
        if (!isOver()) heard();
      },
      refuse: () => {
        this.happen({ on: 'lost' });
      },
    });
  }

  /** Runs what promises have settled, and what that settles. */
  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let next = this.#code.shift(); next; next = this.#code.shift()) next();
    this.#isRunning = false;
  }

  #do(command: Command): void {
    const { tasks } = this.process;
    if (command.to === 'refuse') {
      this.#refuse(command);
      return;
    }
    if (this.end !== undefined) throw new Violation(`${command.to} after the leg was left`);
    if (
      this.#hasEnded &&
      (command.to === 'fail' || (command.to === 'leave' && command.end !== 'lost' && command.end !== 'ended'))
    )
      throw new Violation(`${command.to} of a root that has ended`);
    // All states that the core knows were made here.
    const op = 'op' in command ? (command.op as ModelOp) : undefined;
    const frame = 'frame' in command ? (command.frame as ModelFrame) : op?.frame;
    if (frame && this.isFailing) throw new Violation(`${command.to} in a root that fails`);
    for (let one = frame; one; one = one.above?.frame)
      if (one.isFinished) throw new Violation(`${command.to} in a run that was finished`);
    switch (command.to) {
      case 'execute':
        if (this.isDraining) throw new Violation('a drained leg begins a step');
        if (op) this.#execute(op);
        break;
      case 'deliver':
        if (op) this.#deliver(op);
        break;
      case 'store':
        if (frame) this.#storeValues(frame);
        break;
      case 'turn':
        if (frame) tasks.push(() => this.happen({ on: 'turn', frame }));
        break;
      case 'look':
        tasks.push(() => this.happen({ on: 'look' }));
        break;
      case 'finish':
        if (frame) this.#finish(frame);
        break;
      case 'fail':
        this.#fail(command);
        break;
      case 'leave':
        if (command.end === 'held' || (command.end === 'released' && !this.process.isGivenUp))
          checkIdle(this, this.root as ModelFrame);
        this.end = command.end;
        this.process.left(this);
    }
  }

  #refuse(command: Command & { readonly to: 'refuse' }): void {
    const { frame, leaf, done } = command.op as ModelOp;
    if (!frame.hasEnded && frame.phase !== 'over')
      throw new Violation('a step is refused while its code runs');
    if (leaf.kind !== 'value') done(refused);
  }

  #frame(runId: string, above: ModelOp | undefined): ModelFrame {
    const recorded = this.#rows.get(runId) ?? [];
    const order = recorded
      .map((row, seq) => ({ row, seq }))
      .filter(({ row }) => row?.state === 'done' && row.what !== 'value')
      .sort((a, b) => (a.row?.ord ?? 0) - (b.row?.ord ?? 0));
    return {
      ...{ leg: this, runId, above, recorded },
      ...{ lastRecorded: recorded.length - 1, ops: new Set<OpState>(), phase: 'working' },
      delivery: new Delivery<OpState>(order.map(({ seq }) => seq)),
      ...{ nextSeq: 0, hasValues: false, storing: 0, delivers: false },
      ...{ open: new Set<ModelOp>(), values: [], taken: [], asked: 0, delivered: 0, lastOrd: 0 },
      ...{ hasEnded: false, isFinished: false, result: 0 },
    };
  }

  #perform(frame: ModelFrame, program: Program): void {
    const scope: Scope<ModelOp> = {
      call: (leaf, done, after) => this.#ask(frame, leaf, done, after),
      value: () => this.#value(frame),
      hop: (next) => void this.#code.push(next),
    };
    const done = (result: Result): void => {
      frame.hasEnded = true;
      frame.result = result;
      const isForgetful = frame.phase !== 'over' && frame.recorded.length > frame.asked;
      if (isForgetful) this.process.world.expectMismatch();
      this.happen({ on: 'closed', frame });
      if (isForgetful && !this.isFailing) throw new Violation('forgotten steps are no mismatch');
    };
    this.#code.push(() => perform(scope, program, done));
    this.#run();
  }

  #op(frame: ModelFrame, leaf: Leaf, done: (result: Result) => void, after?: ModelOp): ModelOp {
    const seq = frame.nextSeq;
    return {
      ...{ frame, seq, leaf, done, after, row: frame.recorded[seq], acts: leaf.kind !== 'safe' },
      ...{ phase: 'active', child: undefined, waiters: [], valuesBefore: frame.values.length },
      ...{ waits: false, isPaused: false, begun: false, isAsked: false, openOrd: 0, result: undefined },
    };
  }

  #ask(frame: ModelFrame, leaf: Leaf, done: (result: Result) => void, after?: ModelOp): ModelOp {
    const op = this.#op(frame, leaf, done, after);
    const { row } = op;
    if (frame.phase === 'working') {
      if (frame.hasEnded) throw new Violation('the code of a run that works has ended');
      frame.open.add(op);
      if (row?.state === 'done') op.begun = true;
    }
    this.#number('asked', op);
    return op;
  }

  #value(frame: ModelFrame): Result {
    const { world } = this.process;
    const op = this.#op(frame, { kind: 'value', body: { do: 'nothing' } }, () => {});
    const { row, seq } = op;
    this.#number('value', op);
    if (op.phase !== 'settled') return refused;
    if (row) return row.result;
    const result = world.fresh();
    frame.taken.push({ seq, result });
    frame.values.push(seq);
    this.happen({ on: 'valued', frame });
    return result;
  }

  #number(on: 'asked' | 'value', op: ModelOp): void {
    const { frame, row, leaf } = op;
    const isOther = row !== undefined && row.what !== leaf.kind;
    const counts = frame.phase === 'working';
    if (counts) {
      frame.asked++;
      if (isOther) this.process.world.expectMismatch();
    }
    const found = row?.state === 'done' ? 'settled' : row ? 'begun' : 'nothing';
    this.happen({ on, op, found: isOther ? 'other' : found });
    if (counts && isOther && !this.isFailing)
      throw new Violation('another step than recorded is no mismatch');
  }

  #execute(op: ModelOp): void {
    if (op.begun) throw new Violation('a step is begun twice');
    op.begun = true;
    const { kind } = op.leaf;
    const wasBegun = op.row?.state === 'started';
    if (kind === 'safe') this.#whenDue(op);
    else if (kind === 'once' && wasBegun) this.#settle(op, unknownOutcome);
    else if (kind === 'gated') this.#gate(op, wasBegun);
    else this.#begin(op);
  }

  /** Something outside may keep a step that acts on nothing from being done: it waits, and is tried again. */
  #whenDue(op: ModelOp): void {
    const { random, store, fresh, counts } = this.process.world;
    const key = keyOf(op);
    const attempt = (): void => {
      if (random() < 0.8) {
        this.#settle(op, fresh());
        return;
      }
      counts.postponed++;
      this.#commit(
        op.frame,
        () => {
          store.put(op.frame.runId, op.seq, { what: 'safe', state: 'waiting', result: 0 });
          store.waits.add(key);
        },
        () => {
          this.#waits.add(key);
          if (!isOver(op)) this.#whenDue(op);
        },
      );
    };
    if (!this.#waits.has(key)) {
      this.#later(op, attempt);
      return;
    }
    this.#held(op);
    this.#later(op, () => {
      // Nothing new is begun.
      if (!this.isDraining) this.#goOn(op, () => this.#later(op, attempt));
    });
  }

  #gate(op: ModelOp, wasBegun: boolean): void {
    const key = keyOf(op);
    const newest = this.#approvals.get(key);
    if (newest?.status === 'pending') {
      op.isAsked = true;
      this.#hold(op);
    } else if (!newest || newest.status === 'withdrawn' || (newest.status === 'approved' && wasBegun))
      this.#later(op, () => this.#askHuman(op, { key, n: (newest?.n ?? 0) + 1, status: 'pending' }));
    else if (newest.status === 'approved') this.#begin(op);
    else this.#settle(op, declined);
  }

  #askHuman(op: ModelOp, approval: Approval): void {
    const { store } = this.process.world;
    const { frame } = op;
    this.#commit(
      frame,
      () => {
        store.put(frame.runId, op.seq, { what: op.leaf.kind, state: 'waiting', result: 0 });
        store.lastOrd++;
        store.approvals.set(approval.key, approval);
      },
      () => {
        this.#approvals.set(approval.key, { ...approval });
        op.isAsked = true;
        this.#hold(op);
      },
    );
  }

  #hold(op: ModelOp): void {
    if (isOver(op)) return;
    this.#held(op);
    const { after } = op;
    // Declined in the turn that it is part of: humans are not asked any more.
    after?.waiters.push(() => {
      if (after.result === declined) this.#goOn(op, () => this.#settle(op, declined));
    });
    if (after?.result === declined) this.#goOn(op, () => this.#settle(op, declined));
  }

  #begin(op: ModelOp): void {
    const { after } = op;
    const begin = (): void => {
      if (after?.result === declined) this.#settle(op, declined);
      else this.#act(op);
    };
    if (!after || after.result !== undefined) begin();
    else {
      after.waiters.push(() => this.#goOn(op, begin));
      this.#held(op);
    }
  }

  #held(op: ModelOp): void {
    op.waits = true;
    this.happen({ on: 'held', op });
  }

  #goOn(op: ModelOp, next: () => void): void {
    if (isOver(op)) return;
    op.waits = false;
    this.happen({ on: 'resumed', op });
    next();
  }

  #act(op: ModelOp): void {
    if (isOver(op)) return;
    const { store, fresh } = this.process.world;
    const { frame, seq, leaf } = op;
    const { kind } = leaf;
    if (kind === 'run') this.#startChild(op);
    else if (kind === 'sql') this.#later(op, () => this.#transact(op));
    else if (kind === 'call') {
      this.#checkValues(op);
      this.#later(op, () => this.#again(op));
    } else
      this.#commit(
        frame,
        () => store.put(frame.runId, seq, { what: kind, state: 'started', result: 0 }),
        () => {
          if (isOver(op)) return;
          this.#affect(op);
          this.#later(op, () => this.#settle(op, fresh()));
        },
      );
  }

  /** What may be repeated is done once more, after a pause in which the process may be about to end. */
  #again(op: ModelOp): void {
    const { random, fresh, counts } = this.process.world;
    if (random() < 0.85) {
      this.#settle(op, fresh());
      return;
    }
    counts.pauses++;
    op.isPaused = true;
    this.happen({ on: 'paused', op });
    this.#later(op, () => {
      this.happen({ on: 'resumed', op });
      if (op.phase !== 'active') return;
      if (this.isDraining) throw new Violation('a drained leg does a step once more');
      op.isPaused = false;
      this.#again(op);
    });
  }

  /** An effect that must not be repeated. */
  #affect(op: ModelOp): void {
    this.#checkValues(op);
    const { effects, approvals } = this.process.world.store;
    const key = keyOf(op);
    const count = (effects.get(key) ?? 0) + 1;
    effects.set(key, count);
    const most = op.leaf.kind === 'gated' ? (approvals.get(key)?.n ?? 0) : 1;
    if (count > most) throw new Violation('an effect is repeated');
    if (op.leaf.kind === 'gated' && this.#approvals.get(key)?.status !== 'approved')
      throw new Violation('a gate is passed without a yes');
  }

  #checkValues({ frame, valuesBefore }: ModelOp): void {
    const rows = this.process.world.store.rowsOf(frame.runId);
    for (const seq of frame.values.slice(0, valuesBefore))
      if (rows[seq]?.state !== 'done') throw new Violation('an effect comes before values are stored');
  }

  /** Effect and result in one transaction, which may be undone after its number was given. */
  #transact(op: ModelOp): void {
    const { world } = this.process;
    const { frame, seq } = op;
    this.#checkValues(op);
    const result = world.fresh();
    let ord = 0;
    let isUndone = false;
    this.write(
      () => {
        // Nobody is there any more: it is undone.
        if (isOver(op) || this.isFailing || this.end !== undefined) return;
        isUndone = world.random() < 0.2;
        ord = isUndone
          ? ++world.store.lastOrd
          : world.store.put(frame.runId, seq, { what: 'sql', state: 'done', result });
        if (!isUndone) world.store.effects.set(keyOf(op), (world.store.effects.get(keyOf(op)) ?? 0) + 1);
        this.happen({ on: 'numbered', frame, ord });
      },
      // Others that were stored later may be heard of before its call has come to its end.
      () =>
        this.#later(op, () => {
          if (!isUndone) return this.happen({ on: 'stored', op, ord });
          op.openOrd = ord;
          this.#settle(op, world.fresh());
        }),
    );
  }

  #startChild(op: ModelOp): void {
    const { store } = this.process.world;
    const key = keyOf(op);
    this.#checkValues(op);
    const known = this.#runs.get(key);
    const begin = (): void => {
      const child = this.#frame(key, op);
      this.happen({ on: 'nested', op, child });
      this.#perform(child, op.leaf.body);
    };
    if (known !== undefined) this.#settle(op, known);
    // Whoever begins it may not have heard that the leg was left.
    else if (this.#runs.has(key)) this.process.tasks.push(begin);
    else this.write(() => store.runs.set(key, undefined), begin);
  }

  #settle(op: ModelOp, result: Result): void {
    const { store } = this.process.world;
    const { frame, seq, leaf } = op;
    if (isOver(op)) return;
    let ord = 0;
    this.#commit(
      frame,
      () => {
        ord = store.put(frame.runId, seq, { what: leaf.kind, state: 'done', result });
        store.waits.delete(keyOf(op));
        const approval = store.approvals.get(keyOf(op));
        if (op.isAsked && approval?.status === 'pending') approval.status = 'withdrawn';
      },
      () => {
        if (op.openOrd > 0) this.happen({ on: 'undone', frame, ord: op.openOrd });
        if (!op.isAsked) {
          this.happen({ on: 'stored', op, ord });
          return;
        }
        // The question that is withdrawn is read again first.
        this.happen({ on: 'numbered', frame, ord });
        this.#later(op, () => this.happen({ on: 'stored', op, ord }));
      },
    );
  }

  #storeValues(frame: ModelFrame): void {
    if (frame.taken.length === 0) throw new Violation('values are stored that nobody took');
    this.#commit(
      frame,
      () => {},
      () => {},
    );
  }

  /** Commits, with the values of the frame first. */
  #commit(frame: ModelFrame, apply: () => void, heard: () => void): void {
    const { store } = this.process.world;
    const values = frame.taken;
    frame.taken = [];
    if (values.length > 0) this.happen({ on: 'took', frame });
    this.write(
      () => {
        for (const { seq, result } of values)
          store.put(frame.runId, seq, { what: 'value', state: 'done', result });
        apply();
      },
      () => {
        if (values.length > 0) this.happen({ on: 'kept', frame });
        heard();
      },
    );
  }

  #deliver(op: ModelOp): void {
    const { frame, seq } = op;
    const { store, history } = this.process.world;
    const row = store.rowsOf(frame.runId)[seq];
    if (row?.state !== 'done') throw new Violation('something is delivered that is not stored');
    if (row.ord <= frame.lastOrd) throw new Violation('delivered in another order than stored');
    if (!frame.open.delete(op)) throw new Violation('delivered twice');
    frame.lastOrd = row.ord;
    const before = history.get(frame.runId) ?? [];
    history.set(frame.runId, before);
    const at = frame.delivered++;
    before[at] ??= seq;
    if (before[at] !== seq) throw new Violation('a replay delivers in another order');
    op.result = row.result;
    this.#code.push(() => {
      op.done(row.result);
      for (const waiter of op.waiters) waiter();
    });
  }

  #finish(frame: ModelFrame): void {
    const { store } = this.process.world;
    const { above, runId, result } = frame;
    checkFinish(frame);
    frame.isFinished = true;
    if (!above) this.#hasEnded = true;
    if (!above)
      this.write(
        () => {
          store.status = 'ended';
          store.withdraw(runId);
        },
        () => this.happen({ on: 'finished' }),
      );
    else
      this.write(
        () => {
          store.runs.set(runId, result);
          store.withdraw(runId);
        },
        () => this.#settle(above, result),
      );
  }

  #fail({ failure }: Command & { readonly to: 'fail' }): void {
    const { world } = this.process;
    if (failure.why !== 'error' && !world.mismatches) throw new Violation('a mismatch without a difference');
    this.isFailing = true;
    this.write(
      () => {
        world.store.status = 'failed';
        world.store.withdraw('r');
      },
      () => this.happen({ on: 'finished' }),
      true,
    );
  }

  /** In some later turn of the event loop. */
  #later(op: ModelOp, task: () => void): void {
    this.process.tasks.push(() => {
      if (!isOver(op) && !this.isFailing && this.end === undefined) task();
    });
  }
}

function keyOf({ frame, seq }: ModelOp): string {
  return `${frame.runId}.${seq}`;
}

function isOver({ frame }: ModelOp): boolean {
  return frame.phase === 'over';
}
