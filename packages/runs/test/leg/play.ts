import type { Json } from '@waymark/contract';
import type { OpResult, OpSpec, RunScope, Step } from '@waymark/contract/runs';
import type {
  Approval,
  Fence,
  OpCommit,
  OpRecord,
  RunFinish,
  RunRecord,
  RunStore,
  SessionStore,
  TimedWait,
} from '@waymark/contract/stores';
import { runRecord, type TestHost, testHost } from '@waymark/contract/testing';
import { LongCalls } from '../../src/budget/long-calls.ts';
import type { LegEnd } from '../../src/core/event.ts';
import { RunTree } from '../../src/journal/run-tree.ts';
import { Leg } from '../../src/leg/leg.ts';
import { Feed } from '../../src/told/feed.ts';

/** The rows of one root, and what a leg asks of a store: enough to run it again and again. */
export class Rows {
  root: RunRecord;
  readonly ops = new Map<string, OpRecord>();
  readonly approvals: Approval[] = [];
  readonly waits: TimedWait[] = [];
  readonly children: RunRecord[] = [];
  readonly commits: OpCommit[] = [];
  /** The store takes nothing any more: another process has the root. */
  lost = false;
  #ord = 0;

  constructor(fields: Partial<RunRecord['spec']> = {}) {
    const root = runRecord('r');
    this.root = { ...root, spec: { ...root.spec, tokenBudget: null, ...fields } };
  }

  get finished(): Pick<RunRecord, 'status' | 'output' | 'error'> {
    const { status, output, error } = this.root;
    return { status, output, error };
  }

  /** As a human does between two legs. */
  decide(status: 'approved' | 'denied', note = ''): void {
    const at = this.approvals.findIndex((one) => one.status === 'pending');
    const one = this.approvals[at];
    if (one) this.approvals[at] = { ...one, status, note, decidedOrd: ++this.#ord };
  }

  tree(): RunTree {
    const { root, children, approvals, waits } = this;
    const runs = [root, ...children];
    // As stores read them: by their place in the run, not by when they were stored.
    const ops = [...this.ops.values()].sort((a, b) => a.seq - b.seq);
    const tree = RunTree.from('r', { runs, ops, approvals, spend: [], waits });
    if (!tree) throw new Error('no root');
    return tree;
  }

  store(): RunStore {
    const store: Partial<RunStore> = {
      commit: async (_, commit) => (this.lost ? undefined : this.#commit(commit)),
      approval: async (id) => {
        const found = this.approvals.find(({ approvalId }) => approvalId === id);
        return found && { ...found, movers: [] };
      },
      begin: async () => {},
      startChild: async (_, run) => {
        this.children.push(run);
        return ++this.#ord;
      },
      finish: async (_, finish) => (this.lost ? undefined : this.#finish(finish)),
    };
    return store as RunStore;
  }

  #commit(commit: OpCommit): number {
    this.commits.push(commit);
    for (const op of commit.ops) {
      const ord = op.state === 'done' || op.state === 'failed' ? ++this.#ord : null;
      this.ops.set(`${op.runId}.${op.seq}`, { ...op, ord });
    }
    for (const approval of commit.approvals ?? [])
      if (approval.status === 'pending')
        this.approvals.push({ ...approval, requestedOrd: ++this.#ord, decidedOrd: null });
    return this.#ord;
  }

  #finish({ runId, status, output, error }: RunFinish): number {
    const at = this.children.findIndex((one) => one.runId === runId);
    const child = this.children[at];
    if (child) this.children[at] = { ...child, status, output, error };
    else this.root = { ...this.root, status, output, error };
    return ++this.#ord;
  }
}

/** A leg under way. */
export interface Played {
  readonly leg: Leg;
  readonly host: TestHost;
  /** How it leaves its root. */
  readonly end: Promise<LegEnd>;
}

/** What a leg may be begun with. */
export interface PlayOptions {
  readonly host?: TestHost;
  /** Monotonic; far away. */
  readonly deadlineMs?: number;
  readonly retryOrd?: number;
  /** What the declaration allows today. */
  readonly scopes?: readonly string[];
}

/** Begins a leg over rows. */
export function play(
  rows: Rows,
  code: (scope: RunScope) => Promise<Json>,
  options: PlayOptions = {},
): Played {
  const {
    host = testHost(),
    deadlineMs = Number.POSITIVE_INFINITY,
    retryOrd,
    scopes = ['door:read'],
  } = options;
  const fence: Fence = { rootId: 'r', epoch: 1, wakes: 0, ...(retryOrd !== undefined && { retryOrd }) };
  const { now, monotonic, newId, after, emit, log } = host;
  const parts = {
    ...{ now, monotonic, newId, after, emit, log, store: rows.store(), sessions: {} as SessionStore },
    ...{
      leaseMs: 0,
      giveUpAfterMs: 3_600_000,
      random: () => 0,
      failed: () => false,
      longCalls: new LongCalls(),
    },
  };
  const leg = new Leg(parts, {
    ...{ tree: rows.tree(), fence, caller: rows.root.principal, scopes, deadlineMs },
    feed: new Feed(),
  });
  const end = leg.run(async (scope) => ({ status: 'completed', value: await code(scope) }));
  return { leg, host, end };
}

/** A step that asks for something and reads nothing. */
export function look(n: Json, fields: Partial<OpSpec> = {}): OpSpec {
  return { kind: 'context', name: 'look', input: n, repeat: 'safe', ...fields };
}

/** A call that must not be repeated, as the dispatcher makes it. */
export function open(fields: Partial<OpSpec> = {}): OpSpec {
  return { kind: 'call', name: 'open_door', input: {}, repeat: 'never', ...fields };
}

/** A call of a gated tool: it asks, begins and has its effect. */
export function gated(effect: () => Json): (step: Step) => Promise<OpResult<Json>> {
  return async (step) => {
    const decision = await step.gate({ tool: 'open_door', arguments: {}, approver: {} });
    if (!decision.approved) return { value: { ok: false, status: 403, message: decision.note } };
    await step.begin();
    return { value: { ok: true, status: 200, value: effect() } };
  };
}
