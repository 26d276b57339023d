import { HTTPError } from '@waymark/contract';
import { HostError } from '@waymark/contract/engine';
import type { Principal } from '@waymark/contract/principal';
import type { GateRequest, WrittenPiece } from '@waymark/contract/runs';
import type { Fence, OpRecord, RunError } from '@waymark/contract/stores';
import { BudgetWatch } from '../budget/budget-watch.ts';
import { TokenBudget } from '../budget/token-budget.ts';
import type { Command, Event, Failure, LegEnd } from '../core/event.ts';
import { react } from '../core/react.ts';
import {
  type FrameState,
  goesOn,
  isDropped,
  type LegPhase,
  type LegState,
  type OpState,
} from '../core/state.ts';
import type { EngineParts } from '../engine-parts.ts';
import { Journal } from '../journal/journal.ts';
import { never } from '../journal/never.ts';
import { toRedone } from '../journal/redone.ts';
import type { RunTree } from '../journal/run-tree.ts';
import { internal } from '../journal/stored-error.ts';
import { inLaterTurn } from '../later-turn.ts';
import type { Feed } from '../told/feed.ts';
import type { AskedSteps } from './asked-steps.ts';
import type { Body } from './body-end.ts';
import { Frame } from './frame.ts';
import { Gates, toQuestion } from './gates.ts';
import { guardTime } from './guard-time.ts';
import type { LegPort } from './leg-port.ts';
import type { Op } from './op.ts';
import { Recorder } from './recorder.ts';
import { differs, forgot } from './replay-mismatch.ts';
import { Waits } from './waits.ts';

/** Rows, fence, caller and time of one leg. */
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
  /** Told when something could not be stored, and is tried again. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/**
 * One execution of a root with everything below it, from its start or from its journal to its end, or until nothing can
 * happen before a human decides, or something outside passes. What is left of it then is rows.
 *
 * What happens is reported to the core, which decides; the leg does what it says.
 */
export class Leg implements LegState, LegPort {
  readonly parts: EngineParts;
  readonly tree: RunTree;
  readonly deadlineMs: number;
  readonly budget = new TokenBudget();
  readonly recorder: Recorder;
  readonly waits: Waits;
  readonly #start: LegStart;
  readonly #gates: Gates;
  readonly #releases = new Set<() => void>();
  phase: LegPhase = 'working';
  root: Frame | undefined;
  looks = false;
  redoes = false;
  readonly #journal: Journal;
  #budgetWatch: BudgetWatch | undefined;
  #resolve: (end: LegEnd) => void = () => {};

  constructor(parts: EngineParts, start: LegStart) {
    const { tree, fence, deadlineMs } = start;
    this.parts = parts;
    this.#start = start;
    this.tree = tree;
    this.deadlineMs = deadlineMs;
    this.#journal = new Journal(parts, fence, this, () => this.happen({ on: 'lost' }), start);
    this.recorder = new Recorder({
      ...{ engine: parts, tree, journal: this.#journal },
      happen: (event) => this.happen(event),
      tokens: () => this.root?.counter.used ?? 0,
      stored: (runId, ord) => start.feed.stored(tree.rootId, runId, ord),
    });
    this.waits = new Waits(this);
    this.#gates = new Gates((asks) => this.#guarded(this.recorder.ask(asks)));
  }

  run(body: Body): Promise<LegEnd> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const { root } = this.tree;
      const frame = new Frame(this, root, this.#start.caller, this.#start.scopes);
      this.root = frame;
      this.#budgetWatch = new BudgetWatch(root, frame.counter, this.parts.emit);
      guardTime(this, frame);
      void this.#work(frame, body);
    });
  }

  /** Most of it comes from timers and promises that nobody waits for: it never throws. */
  happen(event: Event): void {
    try {
      for (const command of react(this, event)) this.#do(command);
    } catch (error) {
      this.broke(error);
    }
  }

  broke(error: unknown): void {
    this.parts.log('error', 'a run failed', { run_id: this.tree.rootId, error });
    if (goesOn(this)) this.fail({ code: internal, message: 'internal error', status: 500 });
    else this.happen({ on: 'lost' });
  }

  hold(op: Op): void {
    this.happen({ on: 'held', op });
  }

  resume(op: Op): void {
    this.happen({ on: 'resumed', op });
  }

  pause(op: Op, ms: number): Promise<void> {
    this.happen({ on: 'paused', op });
    return new Promise((resolve) => {
      const cancel = this.parts.after(ms, () => {
        this.resume(op);
        if (op.phase === 'active') resolve();
      });
      this.onDrop(cancel);
    });
  }

  ask(op: Op, request: GateRequest, n: number): Promise<void> {
    const { newId, now } = this.parts;
    const { run, path } = op.frame;
    const about = { run, root: this.tree.root, path, approvalId: newId(), n, nowMs: now() };
    return this.#gates.ask(op, toQuestion(op, request, about));
  }

  write(runId: string, piece: WrittenPiece): void {
    if (!isDropped(this))
      this.#start.feed.write(this.tree.rootId, runId, piece, () => this.tree.lastOrdOf(runId));
  }

  onDrop(release: () => void): void {
    if (isDropped(this)) release();
    else this.#releases.add(release);
  }

  warnOfBudget(): void {
    this.#budgetWatch?.look();
  }

  fail(error: RunError): void {
    this.happen({ on: 'failed', error });
  }

  /** Everything under way is given up at once. */
  cancel(): void {
    this.happen({ on: 'cancelled' });
  }

  /** Begins nothing new, and gives the root back when nothing runs any more. */
  drain(): void {
    this.happen({ on: 'drained' });
  }

  /** Gives the root back whatever runs. */
  giveUp(): void {
    this.happen({ on: 'givenUp' });
  }

  disturb(error: HostError): Promise<never> {
    if (goesOn(this))
      this.parts.log('error', 'a run was disturbed, and is tried again', { run_id: this.tree.rootId, error });
    this.happen({ on: 'disturbed' });
    return never();
  }

  async redo(runId: string, failures: readonly OpRecord[]): Promise<boolean> {
    const { retryOrd = 0 } = this.#start.fence;
    const ops = failures.filter(({ ord }) => (ord ?? 0) <= retryOrd);
    if (retryOrd === 0 || ops.length === 0) return false;
    await this.#journal.redo({ runId, ops: ops.map(toRedone) });
    return true;
  }

  async #work(root: Frame, body: Body): Promise<void> {
    try {
      const end = await root.work(body);
      if (await this.redo(root.runId, root.fatal(end))) {
        this.happen({ on: 'redone', op: undefined });
        return;
      }
      await this.recorder.finish(root.toFinish(end));
    } catch (error) {
      return this.broke(error);
    }
    this.happen({ on: 'finished' });
  }

  /** What fails in it is the failure of the run; whoever waits for it then waits for ever. */
  #guarded(work: Promise<unknown>): Promise<void> {
    return work.then(
      () => {},
      (error: unknown) => {
        this.broke(error);
        return never();
      },
    );
  }

  #do(command: Command): void {
    switch (command.to) {
      case 'execute':
        void stepsOf(command).execute(toOp(command.op));
        break;
      case 'deliver':
        stepsOf(command).deliver(toOp(command.op));
        break;
      case 'refuse':
        stepsOf(command).refuse(toOp(command.op));
        break;
      case 'store':
        void this.#guarded(this.recorder.commit(toFrame(command.frame), { ops: [] }));
        break;
      case 'turn':
        inLaterTurn(this.#start.caller, () => this.happen({ on: 'turn', frame: command.frame }));
        break;
      case 'look':
        inLaterTurn(this.#start.caller, () => this.happen({ on: 'look' }));
        break;
      case 'finish':
        for (const frame of command.frames) toFrame(frame).abort(reasons.ended());
        toFrame(command.frame).finish();
        break;
      case 'fail':
        this.#fail(this.#toError(command.failure), command.frames);
        break;
      case 'leave':
        // First: whatever fails below, the root is left.
        this.#resolve(command.end);
        for (const frame of command.frames) toFrame(frame).abort(reasons[command.end]());
        this.#release();
    }
  }

  #fail(error: RunError, frames: readonly FrameState[]): void {
    const { status, message, code } = error;
    for (const frame of frames) toFrame(frame).abort(new HTTPError(status, message, { code }));
    this.#release();
    const sealed = this.recorder.seal({ runId: this.tree.rootId, status: 'failed', output: null, error });
    void this.#guarded(sealed).then(() => this.happen({ on: 'finished' }));
  }

  #toError(failure: Failure): RunError {
    if (failure.why === 'error') return failure.error;
    const message =
      failure.why === 'differs' ? differs(toOp(failure.op)) : forgot(this.tree, toFrame(failure.frame));
    // What the code came to instead is the cause.
    const error = failure.why === 'forgot' ? toFrame(failure.frame).error : undefined;
    this.parts.log('error', message, { run_id: this.tree.rootId, ...(error !== undefined && { error }) });
    return { code: 'replay_mismatch', message, status: 500 };
  }

  #release(): void {
    for (const release of this.#releases) release();
    this.#releases.clear();
  }
}

/** Reasons that steps under way are told when they are given up. */
const reasons: Readonly<Record<LegEnd, () => Error>> = {
  ended: () => new DOMException('the run has ended', 'AbortError'),
  held: () => new DOMException('the run waits', 'AbortError'),
  again: () => new DOMException('the run is begun again', 'AbortError'),
  released: () => new HTTPError(503, 'the server is shutting down'),
  disturbed: () => new HostError('the run was disturbed, and is tried again'),
  lost: () => new DOMException('the run was cancelled', 'AbortError'),
};

/** The core knows the plain part of a step. All that a leg tells it are made here. */
function toOp(op: OpState): Op {
  return op as Op;
}

function stepsOf({ op }: { readonly op: OpState }): AskedSteps {
  return toFrame(op.frame).steps;
}

/** As with steps. */
function toFrame(frame: FrameState): Frame {
  return frame as Frame;
}
