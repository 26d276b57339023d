import {
  HostError,
  type Json,
  narrow,
  type OpResult,
  type OpSpec,
  type Principal,
  type RunEnd,
  type RunFinish,
  type RunRecord,
  type RunScope,
  type RunUsage,
  type Step,
  type WrittenPiece,
} from '@waymark/contract';
import { AskedSteps } from './asked-steps.ts';
import type { BodyEnd } from './body-end.ts';
import { TokenCounter } from './budget.ts';
import { readHistory } from './history.ts';
import type { Leg } from './leg.ts';
import { never } from './never.ts';
import { toFinish } from './run-end.ts';
import { copy } from './settled.ts';

/** Between the deadline of a leg and that of its calls, which its signal ends. */
const graceMs = 1_000;

/** One run in one leg: its code runs from the start, and what is recorded is given to it again. */
export class Frame implements RunScope {
  readonly leg: Leg;
  readonly run: RunRecord;
  readonly runId: string;
  readonly parent: Frame | undefined;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly counter: TokenCounter;
  /** The counters of this run and all above it. */
  readonly chain: readonly TokenCounter[];
  readonly steps: AskedSteps;
  readonly #controller = new AbortController();
  #over = false;
  /** The code has ended, or was told to. */
  closed = false;

  constructor(leg: Leg, run: RunRecord, caller: Principal, scopes: readonly string[], parent?: Frame) {
    this.leg = leg;
    this.run = run;
    this.runId = run.runId;
    this.parent = parent;
    const id = `${run.spec.kind}:${run.spec.name}`;
    // Stored and today's: authority never grows while a run waits.
    this.principal = narrow(narrow(caller, id, scopes), id, run.spec.scopes);
    this.signal = this.#controller.signal;
    this.counter = new TokenCounter(run.spec.tokenBudget, leg.tree.tokensBelow(run.runId));
    this.chain = [this.counter, ...(parent?.chain ?? [])];
    this.steps = new AskedSteps(this);
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
    return this.steps.delivery.replaying;
  }

  /** Agents, behaviours and flows from the root to this one, those that a run was handed over to after it. */
  get path(): readonly string[] {
    return [...(this.parent?.path ?? []), this.run.spec.name, ...this.leg.tree.handoffs(this.runId)];
  }

  /** This frame and those below it. */
  get frames(): readonly Frame[] {
    return [this, ...this.steps.children.flatMap(({ frames }) => frames)];
  }

  /** What happens in this frame does not count any more. */
  get over(): boolean {
    return this.#over || this.leg.dropped;
  }

  /** Nothing happens in this frame before a human decides, or something outside passes. */
  get stuck(): boolean {
    return (!this.closed || this.steps.left) && this.steps.stuck;
  }

  usage(): RunUsage {
    return this.steps.usage;
  }

  peek(): OpSpec['kind'] | undefined {
    return this.steps.next;
  }

  history(): Promise<readonly Json[]> {
    return readHistory(this);
  }

  value<T extends Json>(name: 'now' | 'random' | 'uuid' | 'log', make: () => T): T {
    return this.steps.value(name, make);
  }

  op<T extends Json>(spec: OpSpec, body: (step: Step) => Promise<OpResult<T>>): Promise<T> {
    if (this.over) return never();
    return this.leg.draining ? this.steps.leave() : this.steps.op(spec, body);
  }

  write(piece: WrittenPiece): void {
    if (!this.over && !this.replaying) this.leg.write(this.runId, piece);
  }

  onDrop(release: () => void): void {
    this.leg.onDrop(release);
  }

  /** Runs the code; never settles when the frame is dropped first. */
  async work(body: (scope: RunScope) => Promise<RunEnd<Json>>): Promise<BodyEnd> {
    let ended: BodyEnd;
    try {
      const end = await body(this);
      // A value that JSON cannot hold is a failure like any other.
      ended = { ok: true, end, output: copy(end.value) };
    } catch (error) {
      if (error instanceof HostError) return this.leg.disturb(error);
      ended = { ok: false, error };
    }
    if (this.over) return never();
    this.closed = true;
    this.leg.changed();
    await this.leg.until(() => this.steps.quiet);
    const { forgotten } = this.steps;
    // What it came to instead is the cause.
    if (forgotten) return this.leg.mismatch(forgotten, ended.ok ? undefined : ended.error);
    // Steps under way that may be done again are given up.
    if (this.steps.some) this.abort(new DOMException('the run has ended', 'AbortError'));
    this.drop();
    return ended;
  }

  /** How the run ends, its last values stored. */
  async toFinish(end: BodyEnd): Promise<RunFinish> {
    if (this.steps.values.some) await this.storeValues();
    return toFinish(this.run, end, this.leg.parts.log);
  }

  async storeValues(): Promise<void> {
    const { values } = this.steps;
    if (values.some) await this.leg.recorder.commit(this, { ops: [] });
    else await values.commit;
  }

  /** Nothing more is delivered, and nothing more is taken. */
  drop(): void {
    if (this.#over) return;
    this.#over = true;
    this.closed = true;
    this.steps.drop();
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
    for (const child of this.steps.children) child.abort(reason);
  }
}
