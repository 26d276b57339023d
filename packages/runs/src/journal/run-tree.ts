import type { Spend } from '@waymark/contract/models';
import type { Approval, OpRecord, OpSpend, RunRecord, RunStore, TimedWait } from '@waymark/contract/stores';
import { tokensOf } from '../budget/usage.ts';

const nothing: readonly Spend[] = [];

type Loaded = Awaited<ReturnType<RunStore['load']>>;

/** A root and everything below it as it is stored, kept up while a leg writes. */
export class RunTree {
  readonly rootId: string;
  readonly #runs = new Map<string, RunRecord>();
  readonly #ops = new Map<string, Map<number, OpRecord>>();
  /** By their number in the run; few have any. */
  readonly #handoffs = new Map<string, readonly OpRecord[]>();
  /** Newest last, by the key of their step. */
  readonly #approvals = new Map<string, Approval[]>();
  readonly #spend = new Map<string, Map<number, OpSpend[]>>();
  /** By the key of their step; few have any. */
  readonly #waits = new Map<string, TimedWait>();

  constructor(root: RunRecord) {
    this.rootId = root.runId;
    this.#runs.set(root.runId, root);
  }

  /** @returns undefined when there is no such root */
  static from(rootId: string, { runs, ops, approvals, spend, waits }: Loaded): RunTree | undefined {
    const root = runs.find(({ runId }) => runId === rootId);
    if (!root) return undefined;
    const tree = new RunTree(root);
    for (const run of runs) tree.putRun(run);
    for (const op of ops) if (!isCut(op)) tree.putOp(op);
    for (const approval of approvals.toSorted((a, b) => a.n - b.n)) tree.putApproval(approval);
    for (const one of spend) tree.addSpend(one);
    for (const wait of waits) tree.putWait(wait);
    return tree;
  }

  get root(): RunRecord {
    const root = this.#runs.get(this.rootId);
    if (!root) throw new Error(`run ${this.rootId} has no row`);
    return root;
  }

  /** Parents before their children. */
  get runs(): readonly RunRecord[] {
    return [...this.#runs.values()];
  }

  get approvals(): readonly Approval[] {
    return [...this.#approvals.values()].flat();
  }

  get pending(): readonly Approval[] {
    return this.approvals.filter(({ status }) => status === 'pending');
  }

  /** Steps that are tried again later. */
  get waits(): readonly TimedWait[] {
    return [...this.#waits.values()];
  }

  run(runId: string): RunRecord | undefined {
    return this.#runs.get(runId);
  }

  op(runId: string, seq: number): OpRecord | undefined {
    return this.#ops.get(runId)?.get(seq);
  }

  opsOf(runId: string): Iterable<OpRecord> {
    return this.#ops.get(runId)?.values() ?? [];
  }

  /** Whether anything was recorded. */
  get hasOps(): boolean {
    return this.#ops.size > 0;
  }

  /** Agents that a run was handed over to before one of its steps, in their order. */
  handoffs(runId: string, beforeSeq = Number.POSITIVE_INFINITY): readonly string[] {
    const handoffs = this.#handoffs.get(runId) ?? [];
    return handoffs.filter(({ seq }) => seq < beforeSeq).map(({ name }) => name);
  }

  /** Whose a step is: the agent, behaviour or flow, or the agent that it was handed over to last. */
  nameAt(runId: string, seq: number): string {
    return this.handoffs(runId, seq).at(-1) ?? this.#runs.get(runId)?.spec.name ?? '';
  }

  approvalsOf(runId: string, seq?: number): readonly Approval[] {
    if (seq !== undefined) return this.#approvals.get(`${runId}.${seq}`) ?? [];
    return this.approvals.filter((approval) => approval.runId === runId);
  }

  spendOf(runId: string, seq: number): readonly Spend[] {
    return this.#spend.get(runId)?.get(seq) ?? nothing;
  }

  /** Recorded tokens of a run and all below it. */
  tokensBelow(runId: string): number {
    let tokens = 0;
    for (const [id, steps] of this.#spend)
      if (isBelow(id, runId)) for (const rows of steps.values()) tokens += tokensOf(rows);
    return tokens;
  }

  /** The same, with what they cost: null where a model has no price. */
  usedBelow(runId: string): { readonly tokens: number; readonly costMicros: number | null } {
    let costMicros: number | null = 0;
    for (const [id, steps] of this.#spend)
      if (isBelow(id, runId))
        for (const one of [...steps.values()].flat())
          costMicros = costMicros === null || one.costMicros === null ? null : costMicros + one.costMicros;
    return { tokens: this.tokensBelow(runId), costMicros };
  }

  putRun(run: RunRecord): void {
    this.#runs.set(run.runId, run);
  }

  putOp(op: OpRecord): void {
    const ops = this.#ops.get(op.runId);
    if (ops) ops.set(op.seq, op);
    else this.#ops.set(op.runId, new Map([[op.seq, op]]));
    if (op.kind === 'handoff' && op.state === 'done') this.#putHandoff(op);
    if (this.#waits.size > 0 && op.state !== 'waiting') this.#waits.delete(`${op.runId}.${op.seq}`);
  }

  #putHandoff(op: OpRecord): void {
    const others = (this.#handoffs.get(op.runId) ?? []).filter(({ seq }) => seq !== op.seq);
    this.#handoffs.set(
      op.runId,
      [...others, op].sort((a, b) => a.seq - b.seq),
    );
  }

  putWait(wait: TimedWait): void {
    this.#waits.set(`${wait.runId}.${wait.seq}`, wait);
  }

  /** A run has ended: nothing in it or below it is tried any more. */
  dropWaits(runId: string): void {
    for (const key of this.#waits.keys()) if (isBelow(key, runId)) this.#waits.delete(key);
  }

  putApproval(approval: Approval): void {
    const key = `${approval.runId}.${approval.seq}`;
    const others = (this.#approvals.get(key) ?? []).filter(({ n }) => n !== approval.n);
    this.#approvals.set(key, [...others, approval]);
  }

  addSpend(spend: OpSpend): void {
    const { runId, seq } = spend;
    const steps = this.#spend.get(runId);
    const rows = steps?.get(seq);
    if (rows) rows.push(spend);
    else if (steps) steps.set(seq, [spend]);
    else this.#spend.set(runId, new Map([[seq, [spend]]]));
  }
}

/** A call of a model that was cut off with its process: it is asked anew, and no code is held to having asked. */
function isCut({ state, kind }: OpRecord): boolean {
  return state === 'started' && kind !== 'call';
}

/** Whether a run is the other one or below it: ids of children begin with their parent's. */
export function isBelow(runId: string, above: string): boolean {
  return runId === above || runId.startsWith(`${above}.`);
}
