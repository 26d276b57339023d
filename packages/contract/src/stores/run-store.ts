import type { Via } from '../engine/dispatch.ts';
import type { InputError } from '../engine/http-error.ts';
import type { Json } from '../engine/json.ts';
import type { ModelFault } from '../models/model-error.ts';
import type { Spend } from '../models/spend.ts';
import type { Principal } from '../principal/principal.ts';
import type { MemoedRun, MemoFilter, OpSpec, RunSpec, SessionAppend } from '../runs/run.ts';
import type { RunStatus, WaitingStatus } from '../runs/run-status.ts';
import type { Delivery } from './delivery.ts';

/** A running database transaction; only the package that made it can look inside. */
export interface Transaction {
  readonly transaction: unique symbol;
}

/** The reason why a run failed. */
export type RunError = {
  /**
   * `timeout`, `provider`, `replay_mismatch`, `crash_loop`, `interrupted`, `declaration_gone`, `caller_gone`, or the tool's
   * own.
   */
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** What an `HTTPError` had besides: later readers get the answer that the waiting caller got. */
  readonly errors?: readonly InputError[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** A call as it is kept, to be sent again. */
export interface StoredCall {
  readonly route: string;
  /** Null in what a store gives of a transient one. */
  readonly values: Json;
  readonly via: Via;
  /** Its values were not written: whoever executes the root has them in memory. */
  readonly transient?: true;
  /** What its caller wants to find again; a fork has none. */
  readonly memo?: Json;
}

/** One run. Roots carry how to start them again; a child has only `running` and terminal states. */
export interface RunRecord {
  readonly runId: string;
  readonly rootId: string;
  readonly parentId: string | null;
  readonly spec: RunSpec;
  readonly principal: Principal;
  /** Roots only: the stored call. */
  readonly call: StoredCall | null;
  /** The same key, principal and route start nothing new. */
  readonly idempotencyKey: string | null;
  /** With such a key: a hash of what the route was called with. The same key is not for anything else. */
  readonly inputHash: string | null;
  readonly depth: number;
  readonly status: Exclude<RunStatus, WaitingStatus> | 'running' | 'ready' | 'waiting';
  readonly output: Json;
  readonly error: RunError | null;
  readonly createdMs: number;
  readonly endedMs: number | null;
}

/**
 * One journaled operation of a run. Images and values over 64 KiB are kept until the root has ended, of one that failed as
 * long as it is kept itself; then, and in listings, their type and size stand for them: an image with empty `data` and
 * `bytes`, or `{type, bytes}`. What the root answered is kept.
 */
export interface OpRecord {
  readonly runId: string;
  /** Taken when the call was made. */
  readonly seq: number;
  readonly kind: OpSpec['kind'];
  readonly name: string;
  /** What was asked: steps are shown from it. */
  readonly input: Json;
  /** Hash of kind and canonical JSON of what was asked. */
  readonly fingerprint: string;
  readonly state: 'started' | 'waiting' | 'done' | 'failed';
  readonly value: Json;
  /** Completion order in the tree of the root, and `seq` of its step stream; null until done or failed. */
  readonly ord: number | null;
  /** Tokens of the tree when it was delivered. */
  readonly treeTokens: number;
  readonly startedMs: number;
  readonly endedMs: number | null;
}

/** A gated call in front of a human. */
export type Approval = {
  readonly approvalId: string;
  readonly runId: string;
  readonly rootId: string;
  readonly seq: number;
  /** Counts how often this one call was asked about. */
  readonly n: number;
  readonly kind: RunSpec['kind'];
  readonly agent: string;
  /** Agents and flows from the root to the one that asks. */
  readonly path: readonly string[];
  readonly caller: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly argumentsHash: string;
  readonly reason: string | null;
  readonly status: 'pending' | 'approved' | 'denied' | 'expired' | 'withdrawn';
  readonly note: string;
  readonly decidedBy: string | null;
  /** Places in the step stream of the root. */
  readonly requestedOrd: number;
  readonly decidedOrd: number | null;
  readonly requestedMs: number;
  readonly decidedMs: number | null;
  readonly expiresMs: number;
};

/** One approval, and who besides its caller made its run go. */
export type MovedApproval = Approval & {
  /**
   * The root principals that forked or retried its run, or one that it is a fork of: with the caller all those that a
   * second pair of eyes cannot be.
   */
  readonly movers: readonly string[];
};

/**
 * A step that something outside keeps from being done, and that is tried again later. It is there as long as its step has
 * not settled and its run has not ended. Times are the database's.
 */
export type Wait = {
  readonly runId: string;
  readonly rootId: string;
  readonly seq: number;
  /** What is waited for: a provider of models. */
  readonly kind: 'provider';
  /** Who asked: an agent, a behaviour or a flow. */
  readonly agent: string;
  readonly provider: string;
  readonly model: string;
  readonly reason: ModelFault;
  /** For callers: what the last try came to. */
  readonly message: string;
  /** Tries that failed, 1 or more. */
  readonly attempts: number;
  /** When the first one did. */
  readonly sinceMs: number;
  /** When it is tried again. */
  readonly dueMs: number;
  /** A try that fails from then on is the last one. */
  readonly giveUpMs: number;
};

/** The longest time from one try of a step to the next: a wait that seems to be longer is due. */
export const longestWaitMs = 600_000;

/** A wait, told by how long from now: whoever asks has another clock. */
export type TimedWait = Wait & {
  /** Since the first try that failed. */
  readonly forMs: number;
  /** Until the next one; 0 when it is due, and `longestWaitMs` at most. */
  readonly inMs: number;
};

/** A step that is to be tried again, and when, from the moment at which the store takes it. */
export type AskedWait = Omit<Wait, 'rootId' | 'sinceMs' | 'dueMs' | 'giveUpMs'> & {
  readonly forMs: number;
  readonly inMs: number;
  readonly giveUpInMs: number;
};

/** What was recorded in the tree of a root. */
export interface RunTotals {
  /** Steps as they are shown, approvals left out. */
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null where a model without a price was used. */
  readonly costMicros: number | null;
}

/** A root in a listing. */
export type ListedRun = RunRecord & {
  readonly totals: RunTotals;
  /** Of one that waits. */
  readonly waitsFor: WaitingStatus | null;
};

/** Proof of owning a root for one leg. A commit with a stale one writes nothing and answers undefined: drop the leg, answer nobody. */
export interface Fence {
  readonly rootId: string;
  readonly epoch: number;
  /** Decisions that had come when the leg began. */
  readonly wakes: number;
  /** Of a root that is retried: its last number then. Failures up to it are undone when it comes to them again. */
  readonly retryOrd?: number;
}

/** The cost of one recorded step: one row for each attempt. */
export type OpSpend = Spend & { readonly runId: string; readonly seq: number };

/** A part of a root's journal, in the order in which it came about. Large values are told by type and size. */
export interface RunPage {
  readonly root: RunRecord;
  /** The number given last. */
  readonly lastOrd: number;
  /** Each with its cost, and whose step it is: the run's, or the agent's that it was handed over to last. */
  readonly ops: readonly (OpRecord & { readonly spend: readonly Spend[]; readonly agent: string })[];
  /** Requested or decided in this part. */
  readonly approvals: readonly Approval[];
}

/**
 * One commit of a run, all of it or nothing: a step, the values queued ahead of it, the approvals of one turn.
 *
 * It takes one number of the root for each op that is done or failed, in their order, then one for each approval, in
 * theirs: `requestedOrd` of a new one, `decidedOrd` of one that is withdrawn. What stays as it was uses up its number too,
 * so that who commits knows them all from the last.
 */
export interface OpCommit {
  /** The store numbers those that are done or failed. One that already is done or failed stays as it was. */
  readonly ops: readonly Omit<OpRecord, 'ord'>[];
  /** Of the last of `ops`. */
  readonly spend?: readonly Spend[];
  /** New ones, and the new state of ones still pending: a withdrawal never overwrites what a human decided. */
  readonly approvals?: readonly Omit<Approval, 'requestedOrd' | 'decidedOrd'>[];
  /**
   * The last op of this commit failed, is tried again, and its row is `waiting`: it replaces the wait of the try before.
   * What a try cost is added to what the others did. One with as many attempts as are known changes nothing.
   */
  readonly wait?: AskedWait;
  /** Put into the outbox with it. */
  readonly notices?: readonly Delivery[];
}

/** A call of a model that has lasted for a while, and what it is counted as should nothing more be heard of it. */
export type BegunCall = Pick<OpRecord, 'runId' | 'seq' | 'kind' | 'name' | 'startedMs'> & {
  readonly spend: readonly Spend[];
};

/**
 * The end of a run, and what ends with it: its session turn, and of everything below it the pending approvals, which are
 * withdrawn, and the runs that have not ended, which are cancelled.
 */
export interface RunFinish {
  readonly runId: string;
  readonly status: Exclude<RunStatus, WaitingStatus>;
  readonly output: Json;
  readonly error: RunError | null;
  readonly session?: SessionAppend;
  /** Of a root without session that started no other run and asked nobody: nothing else ends with it. */
  readonly alone?: boolean;
  /** Of a root: put into the outbox with its end. */
  readonly notices?: readonly Delivery[];
}

/**
 * The limit that leaves no room for a root: all the conversations of its principal are held by runs, there are as many as
 * there may be of all principals together, its own holds as many bytes as one may, or the runs of its principal hold as many
 * as are kept for one.
 */
export type FullLimit = 'own_sessions' | 'sessions' | 'session' | 'bytes';

/**
 * The way in which a root was started: anew, again by its idempotency key, or not, because another run holds its
 * session or there is no room for it.
 */
export type RunStart =
  | { readonly outcome: 'started'; readonly fence: Fence }
  | { readonly outcome: 'repeated'; readonly run: RunRecord }
  | { readonly outcome: 'busy'; readonly holder: RunRecord }
  | { readonly outcome: 'full'; readonly limit: FullLimit };

/** A reason for which a root is given back that says something of it, or of its process. */
export type GivenBack = 'disturbed' | 'attempted';

/** A root taken over. */
export interface TakenRoot {
  readonly fence: Fence;
  /** Processes that died while it ran, or were ended by a failure that nobody handled, since its last new op. */
  readonly attempts: number;
}

/** Attempts from which on a root may be what ends the process: a suspect. */
export const suspiciousAttempts = 2;

/** Work that is due for whoever looks after runs. */
export interface Due {
  /** Roots that can be taken, or that somebody else holds: who that is may be gone. */
  readonly roots: boolean;
  /** Approvals whose time is over. */
  readonly approvals: boolean;
  /** Steps of roots that wait, to be tried again by now. */
  readonly waits: boolean;
}

/** How a leg left its root. `woken`: a decision came since it began; the fence is the next leg's. */
export type Parked =
  | { readonly outcome: 'parked' | 'lost' }
  | { readonly outcome: 'woken'; readonly fence: Fence };

/** Who takes a root that can be taken. */
export interface Taker {
  readonly holder: string;
  readonly leaseMs: number;
}

/** The fate of a decision. `taken`: the root is leased to the taker. */
export type Decided =
  | { readonly outcome: 'decided'; readonly rootId: string; readonly taken?: TakenRoot }
  | { readonly outcome: 'already' | 'expired' | 'unknown' };

/** Failures of one run that are undone, so that it is asked for them again; what they cost stays. */
export type Redo = {
  readonly runId: string;
  readonly ops: readonly {
    readonly seq: number;
    readonly state: 'waiting' | 'started';
    readonly value: Json;
  }[];
};

/**
 * The result of retrying a root: `hurried`, one that waits for something outside tries at once. Not: `runs` or has `ended`
 * otherwise, `waits` for a human, is a `child`; its `session` is held by another or not there any more; large values that it
 * needs are `gone`.
 */
export type Retried = {
  readonly outcome:
    | ('retried' | 'hurried')
    | ('unknown' | 'child' | 'runs' | 'waits' | 'ended' | 'session' | 'gone');
};

/** The result of forking a root. `beyond`: it has no such number. */
export type Forked = { readonly outcome: 'forked' | 'unknown' | 'child' | 'beyond' | 'gone' };

/** How far a root has come. */
export interface RunHead {
  readonly rootId: string;
  /** The number given last. */
  readonly lastOrd: number;
  /** The number given last when it was retried; 0: it never was. */
  readonly retryOrd: number;
  readonly ended: boolean;
}

/**
 * Every write of a run. Each method is one commit; what must be written together is one method. Lease and expiry times
 * are the database's clock. Budgets are sums of recorded spend; reservations are the runner's memory.
 */
export interface RunStore {
  /** A root, leased to `holder` at once; it takes its session in the same commit, and with `reset` empties it. */
  start(run: RunRecord, holder: string, leaseMs: number): Promise<RunStart>;
  /** A child row, under its root's fence. */
  startChild(fence: Fence, run: RunRecord): Promise<number | undefined>;
  /**
   * Roots that are ready or whose lease is over, and no suspects, leased to `holder`; only the one, suspect or not, when it
   * is named. A lease that ends in more than 15 minutes is from before the clock was set back: it is cut to `leaseMs`, and a
   * holder that lives renews it before that.
   *
   * @param running what `holder` executes: none of it was left behind, whatever the clock was set to
   */
  take(
    holder: string,
    limit: number,
    leaseMs: number,
    rootId?: string,
    running?: readonly string[],
  ): Promise<readonly TakenRoot[]>;
  /**
   * One cheap look, made each second: whether `take`, `takeSuspect` or `endLeases` may have something to do, and whether
   * `expire` and `wake` have.
   */
  due(holder: string): Promise<Due>;
  /** The suspect with the fewest attempts, leased to `holder`. @param running as of `take` */
  takeSuspect(holder: string, leaseMs: number, running?: readonly string[]): Promise<TakenRoot | undefined>;
  /**
   * From here on a holder is known to be alive as long as its process, by stores that can know. Called before its first lease,
   * by an id that no other process ever has. From here on it has a place in the order of starts, too, which a root keeps of the
   * newest that took it.
   *
   * @param boot what started it: processes of one boot are as old as the first of them; by default nothing else did
   * @returns ends its life: called when it has given back what it held
   */
  enter(holder: string, boot?: string): Promise<() => void>;
  /** Ends the leases of holders whose process is gone, by stores that can know. @returns how many holders */
  endLeases(): Promise<number>;
  /**
   * Renews the leases of a holder in one statement, but of what it does not execute: a root that was leased to it and of which
   * it never heard can be taken when the lease is over.
   *
   * @returns the roots it still owns
   */
  renew(holder: string, leaseMs: number, running: readonly string[]): Promise<readonly string[]>;
  /** The whole tree in one read. */
  load(rootId: string): Promise<{
    readonly runs: readonly RunRecord[];
    readonly ops: readonly OpRecord[];
    readonly approvals: readonly Approval[];
    /** Of all ops of the tree. */
    readonly spend: readonly OpSpend[];
    readonly waits: readonly TimedWait[];
  }>;
  /** What has numbers from `afterOrd` + 1 to `afterOrd` + `count`: followers read a tree of any size piece by piece. */
  page(rootId: string, afterOrd: number, count: number): Promise<RunPage | undefined>;
  /** In the transaction of the effect when there is one. @returns the last order number given */
  commit(fence: Fence, commit: OpCommit, transaction?: Transaction): Promise<number | undefined>;
  /**
   * Notes a call that was begun. It is no step forward: nothing else of the root changes, and there is a row of state
   * `started` where its step had none. The commit of the step takes the note away. Whoever takes or ends the root before that
   * has the call counted as spent, in the ledger and with its step.
   */
  begin(fence: Fence, call: BegunCall): Promise<void>;
  /**
   * Compares the decisions that have come with those the leg began with.
   *
   * @param values of a transient call: written in the same commit, if the root parks, and it is transient no more
   */
  park(fence: Fence, values?: Json): Promise<Parked>;
  /**
   * Gives a root back: for another process, at shutdown; or because the service could not work on it. Then it cannot be
   * taken for a second, and for twice as long each time it is given back without a new step in between, a minute at most; or
   * because a failure that nobody handled ends the process. That counts as an attempt, as if it had died with the root.
   *
   * @param why none: the process ends as it should
   * @param values as with `park`
   */
  release(fence: Fence, why?: GivenBack, values?: Json): Promise<void>;
  /**
   * Gives back a root that its holder cannot go on with, where a process that started later has had it. Neither the holder nor
   * one that is as old takes it again.
   *
   * @returns whether there was one; else nothing has changed
   */
  leave(fence: Fence): Promise<boolean>;
  /** Whether a root can be taken, but not by this holder: it was left by one that is as old, or newer. */
  isLeft(rootId: string, holder: string): Promise<boolean>;
  /** Whether a process that started later than this holder has had a root. */
  isOfNewer(rootId: string, holder: string): Promise<boolean>;
  /** Compare-and-set, and the wake-up of its root. @param taker to whom the root is leased in the same commit, if nobody has it */
  decide(
    approvalId: string,
    decision: { readonly status: 'approved' | 'denied'; readonly note: string; readonly by: string },
    taker?: Taker,
  ): Promise<Decided>;
  /** Who may decide is checked before deciding. */
  approval(approvalId: string): Promise<MovedApproval | undefined>;
  /** Marks pending approvals whose time is over, and wakes their roots. @returns the roots */
  expire(): Promise<readonly string[]>;
  /** Wakes roots that wait, and have a step that is to be tried again by now. @returns the roots */
  wake(): Promise<readonly string[]>;
  finish(fence: Fence, finish: RunFinish): Promise<number | undefined>;
  /**
   * Ends a root with all below it. A call that was committed as `started` had begun, and nobody will say what came of it: it
   * gets the result `outcome_unknown`, with a number, in the same commit.
   *
   * @param notices put into the outbox if it is cancelled
   */
  cancel(rootId: string, notices?: readonly Delivery[]): Promise<'cancelled' | 'terminal' | 'unknown'>;
  /**
   * Makes a root that has failed ready again, with the children that its end cut off. It holds its session again, and begins
   * under another epoch, whose fences carry `retryOrd`. One that waits for something outside tries at once.
   *
   * @param by the root principal of whoever retries it: from the same commit on one of its movers, until it is deleted
   */
  retry(rootId: string, by: string): Promise<Retried>;
  /** Undoes failures of a run, and with each the end of the run below it. @returns undefined: the leg lost its root */
  redo(fence: Fence, redo: Redo): Promise<number | undefined>;
  /**
   * Begins a root with what another one had recorded before a number, ready to be taken. Decided approvals of recorded steps
   * come along as history; what has no result there is asked for again. It has no session and no idempotency key. What its
   * copied steps cost is known of them, and charged to nobody again.
   *
   * @param at 1 to the last number
   * @param by the root principal of whoever forks it: with the movers of the root one of those of the fork
   */
  fork(rootId: string, at: number, newId: string, by: string): Promise<Forked>;
  /** Roots, newest first; `after` is the id of the last one seen. */
  list(filter: {
    readonly statuses?: readonly RunRecord['status'][];
    /** Of those that wait. */
    readonly waitsFor?: WaitingStatus;
    readonly kind?: RunSpec['kind'];
    readonly name?: string;
    /** The root principal. */
    readonly caller?: string;
    /** Begun at this time or later, epoch milliseconds. */
    readonly sinceMs?: number;
    /** Begun before this time. */
    readonly untilMs?: number;
    /**
     * What cost most comes first, and of what cost the same the newest, of the newest 1,000 that are asked for. `after` stands
     * where its root stands by what it has cost until now: of roots that do not change, none comes twice or is left out,
     * unless newer ones push it out of the 1,000. Nothing comes after a root that is gone.
     */
    readonly dearest?: boolean;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly ListedRun[]>;
  /** How far some roots have come, and as many of those that have not ended: executed ones first, the newest first. */
  heads(filter: { readonly roots: readonly string[]; readonly open: number }): Promise<readonly RunHead[]>;
  /** As `Runner.memos`, of an index of their own. */
  memos(filter: MemoFilter): Promise<readonly MemoedRun[]>;
  /** As `Runner.newestMemo`. */
  newestMemo(principal: string): Promise<MemoedRun | undefined>;
  /** As `Runner.acknowledge`. */
  acknowledge(rootId: string, status: RunStatus): Promise<void>;
  /** How many roots there are of each status: of those that have not ended, and that ended at this time or later. */
  countRoots(endedSinceMs: number): Promise<ReadonlyMap<RunRecord['status'], number>>;
  /** Oldest first, of `decided` newest first; `after` is the id of the last one seen. */
  approvals(filter: {
    /** `decided`: of any but `pending`. */
    readonly status?: Approval['status'] | 'decided';
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly Approval[]>;
  /** Steps that are tried again later, by the ids of their runs; `after` is `<run_id>.<seq>` of the last one seen. */
  waits(filter: { readonly after?: string; readonly limit: number }): Promise<readonly Wait[]>;
  /** Pending approvals of all processes on the database. Cheap: it is asked for health. */
  countPending(): Promise<number>;
  /** The same of steps that are tried again later. */
  countWaits(): Promise<number>;
  /**
   * Deletes terminal roots older than `keepMs`, beyond `keepRuns`, or of a principal whose runs hold too many bytes: whole,
   * the oldest first, a bounded number at a time.
   *
   * @returns how many
   */
  prune(keepMs: number, keepRuns: number): Promise<number>;
}

/**
 * Conversations that runs append to when they end. Bounded in time and number: a principal that has as many as it may have
 * gives up the one it has not used for longest, and none that a run holds; nobody gives up one of another's.
 */
export interface SessionStore {
  load(
    key: string,
    range?: { readonly fromN: number; readonly uptoN: number },
  ): Promise<
    { readonly fromN: number; readonly uptoN: number; readonly messages: readonly Json[] } | undefined
  >;
  /** Not while a run holds it. */
  forget(key: string): Promise<void>;
  count(): Promise<number>;
}
