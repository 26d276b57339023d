/**
 * The store of runs over maps: every method of the contract with the guards that `RunStore` promises, as short as they
 * can be written. The clock is the database's.
 */
import type {
  Approval,
  Decided,
  Fence,
  OpCommit,
  OpRecord,
  Parked,
  RunFinish,
  RunRecord,
  RunStart,
  RunStore,
  SessionTurn,
  TakenRoot,
} from '@waymark/contract';

/** What a row of a root holds besides its record. */
interface RootRow {
  epoch: number;
  owner: string | null;
  leaseUntilMs: number;
  lastOrd: number;
  wakes: number;
  /** Legs that began since the last op was written. */
  attempts: number;
}

const ended: readonly RunRecord['status'][] = [
  'completed',
  'halted',
  'max_tokens',
  'step_limit',
  'budget_exhausted',
  'failed',
  'cancelled',
];

export class TrialRunStore implements RunStore {
  readonly #now: () => number;
  readonly #runs = new Map<string, RunRecord>();
  readonly #roots = new Map<string, RootRow>();
  readonly #ops = new Map<string, OpRecord>();
  readonly #approvals = new Map<string, Approval>();
  /** Session key to the root that holds it. */
  readonly #holders = new Map<string, string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async start(run: RunRecord, holder: string, leaseMs: number): Promise<RunStart> {
    const twin = [...this.#runs.values()].find((one) => isTwin(one, run));
    if (twin) return { outcome: 'repeated', run: twin };
    const { session } = run.spec;
    const holding = session && (await this.#makeWay(session));
    if (holding) return { outcome: 'busy', holder: holding };
    if (session) this.#holders.set(session.key, run.runId);
    this.#runs.set(run.runId, { ...run, status: 'running' });
    const row: RootRow = { ...this.#lease(holder, leaseMs), epoch: 1, lastOrd: 0, wakes: 0, attempts: 0 };
    this.#roots.set(run.runId, row);
    return { outcome: 'started', fence: toFence(run.runId, row) };
  }

  async startChild(fence: Fence, run: RunRecord): Promise<number | undefined> {
    const row = this.#owned(fence);
    if (!row) return undefined;
    this.#runs.set(run.runId, run);
    return ++row.lastOrd;
  }

  async take(holder: string, limit: number, leaseMs: number, rootId?: string): Promise<readonly TakenRoot[]> {
    const free = [...this.#roots].filter(([id, row]) => {
      if (rootId !== undefined && id !== rootId) return false;
      const { status } = this.#run(id);
      return status === 'ready' || (status === 'running' && row.leaseUntilMs <= this.#now());
    });
    return free.slice(0, limit).map(([id, row]) => {
      const { attempts } = row;
      this.#put(id, { status: 'running' });
      Object.assign(row, { ...this.#lease(holder, leaseMs), epoch: row.epoch + 1, attempts: attempts + 1 });
      return { fence: toFence(id, row), attempts };
    });
  }

  async renew(holder: string, leaseMs: number): Promise<readonly string[]> {
    const own = [...this.#roots].filter(([, { owner }]) => owner === holder);
    for (const [, row] of own) row.leaseUntilMs = this.#now() + leaseMs;
    return own.map(([id]) => id);
  }

  async load(rootId: string): Promise<Awaited<ReturnType<RunStore['load']>>> {
    const runs = [...this.#runs.values()].filter((run) => run.rootId === rootId);
    const ids = new Set(runs.map(({ runId }) => runId));
    return {
      runs,
      ops: [...this.#ops.values()].filter(({ runId }) => ids.has(runId)),
      approvals: [...this.#approvals.values()].filter((one) => one.rootId === rootId),
      spend: [],
    };
  }

  async commit(fence: Fence, { ops, approvals = [] }: OpCommit): Promise<number | undefined> {
    const row = this.#owned(fence);
    if (!row) return undefined;
    row.attempts = 0;
    for (const op of ops) {
      const settled = op.state === 'done' || op.state === 'failed';
      this.#ops.set(`${op.runId}.${op.seq}`, { ...op, ord: settled ? ++row.lastOrd : null });
    }
    for (const approval of approvals) {
      const known = this.#approvals.get(approval.approvalId);
      // A decision that came meanwhile stands: it was answered.
      if (known?.status === 'pending') this.#close(known, approval);
      else if (!known)
        this.#approvals.set(approval.approvalId, {
          ...approval,
          requestedOrd: ++row.lastOrd,
          decidedOrd: null,
        });
    }
    return row.lastOrd;
  }

  async park(fence: Fence): Promise<Parked> {
    const row = this.#owned(fence);
    if (!row) return { outcome: 'lost' };
    if (row.wakes !== fence.wakes) {
      row.epoch++;
      return { outcome: 'woken', fence: toFence(fence.rootId, row) };
    }
    row.owner = null;
    this.#put(fence.rootId, { status: 'waiting' });
    return { outcome: 'parked' };
  }

  async release(fence: Fence): Promise<void> {
    const row = this.#owned(fence);
    if (!row) return;
    row.owner = null;
    this.#put(fence.rootId, { status: 'ready' });
  }

  async decide(
    approvalId: string,
    {
      status,
      note,
      by,
    }: { readonly status: 'approved' | 'denied'; readonly note: string; readonly by: string },
  ): Promise<Decided> {
    const approval = this.#approvals.get(approvalId);
    if (!approval) return { outcome: 'unknown' };
    if (approval.status === 'expired') return { outcome: 'expired' };
    if (approval.status !== 'pending') return { outcome: 'already' };
    if (approval.expiresMs <= this.#now()) return { outcome: 'expired' };
    this.#settle(approval, { status, note, decidedBy: by });
    return { outcome: 'decided', rootId: approval.rootId };
  }

  async approval(approvalId: string): Promise<Approval | undefined> {
    return this.#approvals.get(approvalId);
  }

  async expire(): Promise<readonly string[]> {
    const late = [...this.#approvals.values()].filter(
      ({ status, expiresMs }) => status === 'pending' && expiresMs <= this.#now(),
    );
    for (const approval of late) this.#settle(approval, { status: 'expired' });
    return [...new Set(late.map(({ rootId }) => rootId))];
  }

  async finish(fence: Fence, { runId, status, output, error }: RunFinish): Promise<number | undefined> {
    const row = this.#owned(fence);
    if (!row) return undefined;
    this.#put(runId, { status, output, error, endedMs: this.#now() });
    this.#withdraw(runId);
    if (runId === fence.rootId) this.#free(runId, row);
    return ++row.lastOrd;
  }

  async cancel(rootId: string): Promise<'cancelled' | 'terminal' | 'unknown'> {
    const row = this.#roots.get(rootId);
    if (!row) return 'unknown';
    if (ended.includes(this.#run(rootId).status)) return 'terminal';
    for (const { runId, status } of (await this.load(rootId)).runs)
      if (!ended.includes(status)) this.#put(runId, { status: 'cancelled', endedMs: this.#now() });
    this.#withdraw(rootId);
    this.#free(rootId, row);
    return 'cancelled';
  }

  async list({ status, after = '', limit }: Parameters<RunStore['list']>[0]): Promise<readonly RunRecord[]> {
    return [...this.#runs.values()]
      .filter((run) => run.runId > after && (status === undefined || run.status === status))
      .slice(0, limit);
  }

  async approvals({
    status,
    after = '',
    limit,
  }: Parameters<RunStore['approvals']>[0]): Promise<readonly Approval[]> {
    return [...this.#approvals.values()]
      .filter((one) => one.approvalId > after && (status === undefined || one.status === status))
      .slice(0, limit);
  }

  async prune(keepMs: number, keepRuns: number): Promise<number> {
    const over = [...this.#roots.keys()]
      .map((id) => this.#run(id))
      .filter(({ status }) => ended.includes(status));
    const old = over
      .toReversed()
      .filter(({ endedMs }, i) => i >= keepRuns || (endedMs ?? 0) < this.#now() - keepMs);
    for (const { rootId } of old) {
      for (const [id, run] of this.#runs) if (run.rootId === rootId) this.#runs.delete(id);
      for (const [id, { runId }] of this.#ops) if (isOf(runId, rootId)) this.#ops.delete(id);
      for (const [id, one] of this.#approvals) if (one.rootId === rootId) this.#approvals.delete(id);
      this.#roots.delete(rootId);
    }
    return old.length;
  }

  /** The row, if the fence still holds: same epoch, and neither lost, ended nor parked. */
  #owned({ rootId, epoch }: Fence): RootRow | undefined {
    const row = this.#roots.get(rootId);
    return row?.epoch === epoch && this.#run(rootId).status === 'running' ? row : undefined;
  }

  #lease(owner: string, leaseMs: number): Pick<RootRow, 'owner' | 'leaseUntilMs'> {
    return { owner, leaseUntilMs: this.#now() + leaseMs };
  }

  /** @returns the run that holds the session, unless it only waits and its session is to begin anew */
  async #makeWay({ key, reset }: SessionTurn): Promise<RunRecord | undefined> {
    const holder = this.#runs.get(this.#holders.get(key) ?? '');
    if (!holder || !reset || holder.status !== 'waiting') return holder;
    await this.cancel(holder.rootId);
    return undefined;
  }

  /** A decision and the wake-up of its root are one. */
  #settle(approval: Approval, change: Partial<Approval>): void {
    this.#close(approval, change).wakes++;
    if (this.#run(approval.rootId).status === 'waiting') this.#put(approval.rootId, { status: 'ready' });
  }

  /** What becomes of an approval is numbered with everything else that happens to its root. */
  #close(approval: Approval, change: Partial<Approval>): RootRow {
    const row = this.#roots.get(approval.rootId);
    if (!row) throw new Error(`no root ${approval.rootId}`);
    const decidedOrd = ++row.lastOrd;
    this.#approvals.set(approval.approvalId, { ...approval, ...change, decidedOrd, decidedMs: this.#now() });
    return row;
  }

  #withdraw(runId: string): void {
    for (const one of this.#approvals.values())
      if (one.status === 'pending' && isOf(one.runId, runId)) this.#close(one, { status: 'withdrawn' });
  }

  #free(rootId: string, row: RootRow): void {
    row.owner = null;
    const { session } = this.#run(rootId).spec;
    if (session) this.#holders.delete(session.key);
  }

  #run(runId: string): RunRecord {
    const run = this.#runs.get(runId);
    if (!run) throw new Error(`no run ${runId}`);
    return run;
  }

  #put(runId: string, change: Partial<RunRecord>): void {
    this.#runs.set(runId, { ...this.#run(runId), ...change });
  }
}

function toFence(rootId: string, { epoch, wakes }: RootRow): Fence {
  return { rootId, epoch, wakes };
}

/** Whether a run is the other one or below it: ids of children begin with their parent's. */
function isOf(runId: string, above: string): boolean {
  return runId === above || runId.startsWith(`${above}.`);
}

/** The same key, principal and route. */
function isTwin(one: RunRecord, run: RunRecord): boolean {
  return (
    run.idempotencyKey !== null &&
    one.idempotencyKey === run.idempotencyKey &&
    one.principal.rootId === run.principal.rootId &&
    one.call?.route === run.call?.route
  );
}
