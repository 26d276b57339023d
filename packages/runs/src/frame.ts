import {
  type Json,
  narrow,
  type OpRecord,
  type OpResult,
  type OpSpec,
  type Principal,
  type Progress,
  type RunEnd,
  type RunRecord,
  type RunScope,
  type RunUsage,
  type Spend,
  type Step,
} from '@waymark/contract';
import { type Reservation, TokenCounter } from './budget.ts';
import { Delivery } from './delivery.ts';
import { JournalStep } from './journal-step.ts';
import type { Leg } from './leg.ts';
import { never } from './never.ts';
import { Op } from './op.ts';
import { outcomeUnknown } from './outcome-unknown.ts';
import { ReplayMismatch } from './replay-mismatch.ts';
import { copy, type Settled, toFailure, toResult } from './settled.ts';
import { fromStoredError } from './stored-error.ts';
import { tokensOf, UsageTally } from './usage.ts';

/** What a driver's function came to. */
export type BodyEnd =
  | { readonly ok: true; readonly end: RunEnd<Json>; readonly output: Json }
  | { readonly ok: false; readonly error: unknown };

/** One run in one leg: its code runs from the start, and what is recorded is given to it again. */
export class Frame implements RunScope {
  readonly leg: Leg;
  readonly run: RunRecord;
  readonly parent: Frame | undefined;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly counter: TokenCounter;
  readonly delivery: Delivery;
  /** Called and not delivered. */
  readonly outstanding = new Set<Op>();
  /** Values that the next commit takes along. */
  #values: Omit<OpRecord, 'ord'>[] = [];
  #valuesStored: Promise<unknown> = Promise.resolve();
  readonly #controller = new AbortController();
  readonly #tally: UsageTally;
  #nextSeq = 0;
  #over = false;
  /** The code has ended, or was told to. */
  closed = false;

  constructor(leg: Leg, run: RunRecord, caller: Principal, scopes: readonly string[], parent?: Frame) {
    this.leg = leg;
    this.run = run;
    this.parent = parent;
    const id = `${run.spec.kind}:${run.spec.name}`;
    // Stored and today's: authority never grows while a run waits.
    this.principal = narrow(narrow(caller, id, scopes), id, run.spec.scopes);
    this.signal = this.#controller.signal;
    this.counter = new TokenCounter(run.spec.tokenBudget, leg.tree.tokensBelow(run.runId));
    this.#tally = new UsageTally(run, leg.tree.root);
    const recorded = leg.tree.opsOf(run.runId).filter(({ ord, kind }) => ord !== null && kind !== 'value');
    this.delivery = new Delivery(recorded.sort((a, b) => (a.ord ?? 0) - (b.ord ?? 0)).map(({ seq }) => seq));
  }

  get runId(): string {
    return this.run.runId;
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

  get deadlineMs(): number {
    return this.leg.deadlineMs;
  }

  get replaying(): boolean {
    return this.delivery.replaying;
  }

  /** Agents, behaviours and flows from the root to this one. */
  get path(): readonly string[] {
    return [...(this.parent?.path ?? []), this.run.spec.name];
  }

  /** The counters of this run and all above it. */
  get chain(): readonly TokenCounter[] {
    return [this.counter, ...(this.parent?.chain ?? [])];
  }

  /** What happens in this frame does not count any more. */
  get over(): boolean {
    return this.#over || this.leg.dropped;
  }

  /** Nothing happens in this frame before a human decides. */
  get stuck(): boolean {
    if (this.closed || this.outstanding.size === 0) return false;
    for (const op of this.outstanding) if (!op.stuck) return false;
    return true;
  }

  /** The code has ended, and nothing it began still has to be recorded. */
  get quiet(): boolean {
    for (const op of this.outstanding) if (!op.stuck && isAwaited(op)) return false;
    return true;
  }

  get hasValues(): boolean {
    return this.#values.length > 0;
  }

  usage(): RunUsage {
    return this.#tally.usage;
  }

  peek(): OpSpec['kind'] | undefined {
    return this.leg.tree.op(this.runId, this.#nextSeq)?.kind;
  }

  async history(): Promise<readonly Json[]> {
    const { session } = this.run.spec;
    if (!session) return [];
    const { sessions } = this.leg.parts;
    const spec = { kind: 'history', name: session.key, input: null, repeat: 'safe' } as const;
    const range = await this.op(spec, async () => {
      const found = await sessions.load(session.key);
      return { value: found ? { fromN: found.fromN, uptoN: found.uptoN } : null };
    });
    if (!range) return [];
    const found = await sessions.load(session.key, range);
    return this.over ? never() : (found?.messages ?? []);
  }

  value<T extends Json>(name: 'now' | 'random' | 'uuid' | 'log', make: () => T): T {
    this.#refuseLate();
    const op = this.#next({ kind: 'value', name, input: null, repeat: 'safe' });
    if (!op) throw new Error('the run differs from its journal');
    // A value of the same name: what `make` gives is of this type, and so was what it gave before.
    if (op.row) return copy(op.row.value) as T;
    const value = copy(make());
    this.#values.push(op.toRow('done', value, this.usage().treeTokens, op.startedMs));
    return value;
  }

  op<T extends Json>(spec: OpSpec, body: (step: Step) => Promise<OpResult<T>>): Promise<T> {
    if (this.over || this.leg.draining) return this.#unheard();
    const promise = new Promise<T>((resolve, reject) => {
      this.#refuseLate();
      const op = this.#next(spec);
      if (!op) return;
      const deliver = (
        row: Pick<OpRecord, 'kind' | 'state' | 'value' | 'treeTokens'>,
        spend: readonly Spend[],
      ) => {
        if (this.over) return;
        op.state = 'settled';
        this.outstanding.delete(op);
        this.#tally.add(row, spend);
        // Recorded by this very op, so of its type.
        if (row.state === 'done') resolve(copy(row.value) as T);
        else reject(fromStoredError(row.value));
        // Without any other step the code has something to do: nothing can be stuck.
        if (this.closed || this.outstanding.size > 0) this.leg.changed();
      };
      this.outstanding.add(op);
      const { row } = op;
      if (row && (row.state === 'done' || row.state === 'failed'))
        this.delivery.ask(op.seq, () => deliver(row, this.leg.tree.spendOf(this.runId, op.seq)));
      else
        void this.#execute(op, body).then(({ row, spend, ord }) =>
          this.delivery.add(ord, () => deliver(row, spend)),
        );
    });
    // Code may look at a result later, or never.
    promise.catch(() => {});
    return promise;
  }

  emit(progress: Progress): void {
    if (!this.over && !this.replaying) this.leg.tell(progress);
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
      ended = { ok: false, error };
    }
    if (this.over) return never();
    this.closed = true;
    this.leg.changed();
    await this.leg.until(() => this.quiet);
    const forgotten = this.#forgotten;
    if (forgotten) return this.leg.mismatch(forgotten);
    // Steps under way that may be done again are given up.
    if (this.outstanding.size > 0) this.abort(new DOMException('the run has ended', 'AbortError'));
    this.drop();
    return ended;
  }

  /** Gives the values that no commit took yet. */
  takeValues(): readonly Omit<OpRecord, 'ord'>[] {
    const values = this.#values;
    this.#values = [];
    return values;
  }

  /** This frame and those below it. */
  get frames(): readonly Frame[] {
    return [this, ...[...this.outstanding].flatMap(({ child }) => child?.frames ?? [])];
  }

  /** What must be stored before anything that depends on the values happens. */
  storing(commit: Promise<unknown>): void {
    this.#valuesStored = commit;
  }

  async storeValues(): Promise<void> {
    if (this.#values.length > 0) await this.leg.commit(this, { ops: [] });
    else await this.#valuesStored;
  }

  /** Nothing more is delivered, and nothing more is taken. */
  drop(): void {
    if (this.#over) return;
    this.#over = true;
    this.closed = true;
    this.delivery.drop();
    for (const { child } of this.outstanding) child?.drop();
    this.outstanding.clear();
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
    for (const { child } of this.outstanding) child?.abort(reason);
  }

  /** A step that is asked for while the process is about to end: another one will do it. */
  #unheard<T>(): Promise<T> {
    if (this.over) return never();
    const op = new Op(
      this,
      this.#nextSeq,
      { kind: 'value', name: '', input: null, repeat: 'safe' },
      0,
      undefined,
    );
    op.state = 'held';
    this.outstanding.add(op);
    this.leg.changed();
    return never();
  }

  /** @returns undefined when something else is recorded: the root has failed */
  #next(spec: OpSpec): Op | undefined {
    const seq = this.#nextSeq++;
    const op = new Op(this, seq, spec, this.leg.parts.now(), this.leg.tree.op(this.runId, seq));
    if (!op.row || op.row.fingerprint === op.fingerprint) return op;
    void this.leg.mismatch(new ReplayMismatch(this.runId, seq, describe(op.row), describe(op.spec)));
    return undefined;
  }

  /** Does the step and stores what came of it. Never settles when the frame is dropped first. */
  async #execute(
    op: Op,
    body: (step: Step) => Promise<OpResult<Json>>,
  ): Promise<{ row: OpRecord; spend: readonly Spend[]; ord: number }> {
    const settled = await this.#attempt(op, body);
    if (this.over) return never();
    return this.leg.settle(this, op, settled);
  }

  async #attempt(op: Op, body: (step: Step) => Promise<OpResult<Json>>): Promise<Settled> {
    let reservation: Reservation | undefined;
    let step: JournalStep | undefined;
    let spend: readonly Spend[] = [];
    try {
      if (op.interrupted && this.leg.tree.approvalsOf(op.runId, op.seq).length === 0)
        throw outcomeUnknown(op.spec.name);
      // What has effects may depend on them.
      if (isAwaited(op)) await this.storeValues();
      reservation = await this.#reserve(op.spec);
      step = new JournalStep(this, op, reservation?.grantedTokens ?? null);
      const result = await body(step);
      spend = result.spend ?? [];
      if (op.interrupted) throw outcomeUnknown(op.spec.name);
      return toResult(op, result.value, spend);
    } catch (error) {
      if (error instanceof Error && 'spend' in error && Array.isArray(error.spend))
        spend = error.spend as readonly Spend[];
      return toFailure(op, error, spend);
    } finally {
      step?.close();
      this.#charge(reservation, spend);
    }
  }

  async #reserve({ reserveTokens, estimateTokens = 0 }: OpSpec): Promise<Reservation | undefined> {
    if (reserveTokens === undefined) return undefined;
    const maxTokens = Math.max(0, reserveTokens - estimateTokens);
    const reservation = await this.leg.budget.reserve(this.chain, { estimate: estimateTokens, maxTokens });
    if (this.over) reservation.settle(undefined);
    return reservation;
  }

  #charge(reservation: Reservation | undefined, spend: readonly Spend[]): void {
    const used = tokensOf(spend);
    if (reservation) reservation.settle(spend.length > 0 ? used : undefined);
    else for (const counter of this.chain) counter.used += used;
    this.leg.warnOfBudget();
  }

  #refuseLate(): void {
    if (this.closed) throw new Error('the run has ended: nothing can be asked of it any more');
  }

  /** A step that is recorded and was not asked for again. */
  get #forgotten(): ReplayMismatch | undefined {
    const row = this.leg.tree.opsOf(this.runId).find(({ seq }) => seq >= this.#nextSeq);
    return row && new ReplayMismatch(this.runId, row.seq, describe(row), 'the end of the run');
  }
}

/** Steps that act on the world are waited for when the code has ended; the others can be done again. */
function isAwaited({ spec: { kind } }: Op): boolean {
  return kind === 'call' || kind === 'run' || kind === 'handoff';
}

function describe({ kind, name, input }: Pick<OpRecord, 'kind' | 'name' | 'input'>): string {
  return `${kind} ${name} ${JSON.stringify(input).slice(0, 200)}`;
}
