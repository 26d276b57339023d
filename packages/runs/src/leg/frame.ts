import type { Json } from '@waymark/contract';
import { HostError } from '@waymark/contract/engine';
import { narrow, type Principal } from '@waymark/contract/principal';
import type {
  OpResult,
  OpSpec,
  RunEnd,
  RunScope,
  RunUsage,
  Step,
  WrittenPiece,
} from '@waymark/contract/runs';
import type { OpRecord, RunFinish, RunRecord } from '@waymark/contract/stores';
import { TokenCounter } from '../budget/token-budget.ts';
import { Delivery } from '../core/delivery.ts';
import type { FramePhase } from '../core/state.ts';
import { copy } from '../journal/stored-form.ts';
import { AskedSteps } from './asked-steps.ts';
import type { BodyEnd } from './body-end.ts';
import { readHistory } from './history.ts';
import type { LegPort } from './leg-port.ts';
import type { Op, OpFrame } from './op.ts';
import { toFinish } from './run-end.ts';

/** Between the deadline of a leg and that of its calls, which its signal ends. */
const graceMs = 1_000;

/** One run in one leg: its code runs from the start, and what is recorded is given to it again. */
export class Frame implements RunScope, OpFrame {
  readonly leg: LegPort;
  readonly run: RunRecord;
  readonly runId: string;
  readonly above: Op | undefined;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly counter: TokenCounter;
  /** The counters of this run and all above it. */
  readonly chain: readonly TokenCounter[];
  readonly steps: AskedSteps;
  readonly lastRecorded: number;
  readonly ops = new Set<Op>();
  readonly delivery: Delivery<Op>;
  phase: FramePhase = 'working';
  nextSeq = 0;
  hasValues = false;
  storing = 0;
  delivers = false;
  readonly #controller = new AbortController();
  #end: BodyEnd | undefined;
  #resolve: (end: BodyEnd) => void = () => {};

  /** @param above the step that it is the run of; none: it is the root's */
  constructor(leg: LegPort, run: RunRecord, caller: Principal, scopes: readonly string[], above?: Op) {
    this.leg = leg;
    this.run = run;
    this.runId = run.runId;
    this.above = above;
    const id = `${run.spec.kind}:${run.spec.name}`;
    // Stored and today's: authority never grows while a run waits.
    this.principal = narrow(narrow(caller, id, scopes), id, run.spec.scopes);
    this.signal = this.#controller.signal;
    this.counter = new TokenCounter(run.spec.tokenBudget, leg.tree.tokensBelow(run.runId));
    this.chain = [this.counter, ...(above?.frame.chain ?? [])];
    const recorded = [...leg.tree.opsOf(run.runId)];
    this.lastRecorded = recorded.reduce((last, { seq }) => Math.max(last, seq), -1);
    this.delivery = new Delivery(toOrder(recorded));
    this.steps = new AskedSteps(leg, this);
  }

  get rootId(): string {
    return this.run.rootId;
  }

  get depth(): number {
    return this.run.depth;
  }

  get definition(): Json {
    return this.run.spec.definition ?? null;
  }

  get maxSteps(): number | null {
    return this.run.spec.maxSteps;
  }

  /** After that of the leg: what is out of time is the run, not the call that it was in. */
  get deadlineMs(): number {
    return this.leg.deadlineMs + graceMs;
  }

  get replaying(): boolean {
    return this.delivery.replaying;
  }

  /** Agents, behaviours and flows from the root to this one, those that a run was handed over to after it. */
  get path(): readonly string[] {
    return [...(this.above?.frame.path ?? []), this.run.spec.name, ...this.leg.tree.handoffs(this.runId)];
  }

  /** This frame and those below it. */
  get frames(): readonly OpFrame[] {
    return [this, ...[...this.ops].flatMap(({ child }) => child?.frames ?? [])];
  }

  /** What happens in this frame does not count any more. */
  get over(): boolean {
    return this.phase === 'over';
  }

  usage(): RunUsage {
    return this.steps.usage;
  }

  peek(): OpSpec['kind'] | undefined {
    return this.steps.next;
  }

  history(): Promise<readonly Json[]> {
    return readHistory(this.leg, this);
  }

  value<T extends Json>(name: 'now' | 'random' | 'uuid' | 'log', make: () => T): T {
    return this.steps.value(name, make);
  }

  op<T extends Json>(spec: OpSpec, body: (step: Step) => Promise<OpResult<T>>): Promise<T> {
    return this.steps.op(spec, body);
  }

  write(piece: WrittenPiece): void {
    if (!this.over && !this.replaying) this.leg.write(this.runId, piece);
  }

  onDrop(release: () => void): void {
    this.leg.onDrop(release);
  }

  takeValues(): readonly Omit<OpRecord, 'ord'>[] {
    return this.steps.takeValues();
  }

  /** Recorded failures that its code did not survive; none where it did. */
  fatal(end: BodyEnd): readonly OpRecord[] {
    return end.ok ? [] : this.steps.fatal(end.error);
  }

  /** Runs the code; never settles when the frame is dropped first. */
  work(body: (scope: RunScope) => Promise<RunEnd<Json>>): Promise<BodyEnd> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      void this.#perform(body);
    });
  }

  /** What its code has thrown. */
  get error(): unknown {
    return this.#end && !this.#end.ok ? this.#end.error : undefined;
  }

  /** Nothing is under way any more. */
  finish(): void {
    if (this.#end) this.#resolve(this.#end);
  }

  /** How the run ends. */
  toFinish(end: BodyEnd): RunFinish {
    return toFinish(this.run, end, this.leg.parts.log);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  async #perform(body: (scope: RunScope) => Promise<RunEnd<Json>>): Promise<void> {
    try {
      const end = await body(this);
      // A value that JSON cannot hold is a failure like any other.
      this.#end = { ok: true, end, output: copy(end.value, `the result of ${this.run.spec.name}`) };
    } catch (error) {
      if (error instanceof HostError) return this.leg.disturb(error);
      this.#end = { ok: false, error };
    }
    this.leg.happen({ on: 'closed', frame: this });
  }
}

/** `seq` of the results that are delivered again, in the order in which they were stored. */
function toOrder(rows: readonly OpRecord[]): readonly number[] {
  const recorded = rows.filter(({ ord, kind }) => ord !== null && kind !== 'value');
  return recorded.sort((a, b) => (a.ord ?? 0) - (b.ord ?? 0)).map(({ seq }) => seq);
}
