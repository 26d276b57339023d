import type { Call } from '../engine/dispatch.ts';
import { HTTPError } from '../engine/http-error.ts';
import type { Json, Values } from '../engine/json.ts';
import type { Progress, RouteResponse } from '../engine/message.ts';
import type { Spend } from '../models/spend.ts';
import type { Principal } from '../principal/principal.ts';
import type { Approver } from '../route/route.ts';
import type { Approval, RunError, RunRecord, Transaction, Wait } from '../stores/run-store.ts';
import type { AuditRecord } from '../stores/stores.ts';
import type { ToolResult } from '../tools/tool.ts';
import type { RunStatus, WaitingStatus } from './run-status.ts';

/** A run as its driver (agent, behaviour, flow) asks for it. */
export interface RunSpec {
  readonly kind: 'agent' | 'behaviour' | 'flow';
  readonly name: string;
  /**
   * Hash of prompt, options or function source. Only kept, to be seen beside a run: a stored run goes on with another
   * one as long as it asks the same.
   */
  readonly codeVersion: string;
  /** What the run may do: the scope's principal is `narrow(caller, '<kind>:<name>', scopes)`. */
  readonly scopes: readonly string[];
  /** Own ceiling; null is none. Every ancestor's ceiling holds as well. */
  readonly tokenBudget: number | null;
  /** As it was at the start; a stored run keeps it. */
  readonly maxSteps: number | null;
  /**
   * The session whose turn the run is. Turns of one session follow each other, from opening to end, waiting included.
   * Roots only: as a tool an agent takes its input and nothing else, so a child with a session is refused.
   */
  readonly session?: SessionTurn;
  /** What the driver decides by and must not change under a stored run: the steps of a flow. */
  readonly definition?: Json;
}

/** A run's place in a conversation. */
export type SessionTurn = {
  /** `<agent>:<root_id>:<session_id>`. */
  readonly key: string;
  /** Forgets what was said before, and cancels a run that waits with the session. */
  readonly reset: boolean;
};

/** The journal as a driver sees it while its run works. */
export interface RunScope {
  /** Of a child: the key of the parent's step. */
  readonly runId: string;
  readonly rootId: string;
  readonly depth: number;
  readonly principal: Principal;
  /** Fires on cancel, deadline and shutdown; not when the caller goes away, not when the run waits. */
  readonly signal: AbortSignal;
  readonly replaying: boolean;
  /** What `callTool` gives the calls of the run, by `Host.monotonic`: when the leg is over, which ends them by their signal. */
  readonly deadlineMs: number;
  /** `RunSpec.definition` as it was when the run started. */
  readonly definition: Json;
  /** `RunSpec.maxSteps` as it was when the run started. */
  readonly maxSteps: number | null;
  /** As of the last delivered step, so that a replay sees the same. */
  usage(): RunUsage;
  /** The messages of the run's session, fixed by its first step; none without a session. */
  history(): Promise<readonly Json[]>;
  /**
   * A value that must be the same on every replay: a clock, a random number, an id, a log line. Synchronous: written
   * before the body of any later step runs, or a crash would do that step again with another value.
   */
  value<T extends Json>(name: 'now' | 'random' | 'uuid' | 'log', make: () => T): T;
  /** The kind of the recorded step with the next number, if there is one: compaction and handoff are read from it, never decided twice. */
  peek(): OpSpec['kind'] | undefined;
  /**
   * One journaled step, numbered when called. Settles after its one commit (result, spend), in the stored form, in the
   * stored order, one for each turn of the event loop: `Promise.all` and `race` over ops replay alike. A failure is
   * journaled and thrown alike. On replay `body` is not called. Never settles while the step waits for a human. An op
   * of kind `call` always holds a `ToolResult`.
   */
  op<T extends Json>(spec: OpSpec, body: (step: Step) => Promise<OpResult<T>>): Promise<T>;
  /**
   * Tells whoever follows the root what a step is writing, before it is stored (event `delta`). Silent while replaying. Kept in
   * memory until the run stores a step, for those who begin to follow meanwhile. Steps the runner tells itself, since only
   * it knows when they are stored.
   */
  write(piece: WrittenPiece): void;
  /** Runs `release` when the frame is dropped. `finally` does not: a waiting frame never continues. */
  onDrop(release: () => void): void;
}

/** A piece of the text that a step is writing. `restart`: what the step wrote so far does not count. */
export type WrittenPiece = { readonly agent: string; readonly text?: string; readonly restart?: true };

/** One journaled step as its driver asks for it. */
export interface OpSpec {
  readonly kind:
    | 'model'
    | 'call'
    | 'run'
    | 'ask'
    | 'context'
    | 'compaction'
    | 'handoff'
    | 'history'
    | 'value';
  readonly name: string;
  /** Part of the fingerprint checked at replay; a mismatch ends the root as `replay_mismatch`. */
  readonly input: Json;
  /** After a crash between effect and record: do it again, or report the outcome as unknown. */
  readonly repeat: 'safe' | 'never';
  /**
   * The most the step may use, what it asks included: taken from all ceilings before `body`. Where less is left the
   * answer is given less room (`Step.grantedTokens`); nothing left throws `BudgetExhausted`.
   */
  readonly reserveTokens?: number;
  /** The part of `reserveTokens` that the question itself takes, estimated; 0. */
  readonly estimateTokens?: number;
  /**
   * Of a step that is paid for: what it is counted as when its process ends in the middle of it. Asked once it has lasted for
   * a while; nothing where that cannot be told.
   */
  readonly estimate?: () => Spend | undefined;
  /**
   * `Step.begin` waits for it, and counts as held meanwhile: calls of one model turn ask humans together and execute in
   * order. When it rejects, `begin` and a pending `gate` reject with it, and the approval is withdrawn.
   */
  readonly after?: Promise<unknown>;
  /** Why the driver wants it; shown to the human who decides. */
  readonly reason?: string;
}

/** The result of a step, and what it cost. */
export interface OpResult<T> {
  readonly value: T;
  readonly spend?: readonly Spend[];
}

/** Thrown by `op` before it calls `body`. Drivers end their run as `budget_exhausted`; it is not an error to a caller. */
export class BudgetExhausted extends Error {
  override readonly name = 'BudgetExhausted';
}

/** The journal step a call is made in. */
export interface Step {
  readonly runId: string;
  readonly seq: number;
  /** `<run_id>.<seq>`: idempotency key, and the id of a child run. Safe in a URL path. */
  readonly key: string;
  /** What is left of the reservation beyond `estimateTokens`: the most `max_tokens` may be. Null is unlimited. */
  readonly grantedTokens: number | null;
  /** Asks a human, once for each step; never settles while waiting. Called by the dispatcher alone, after validation. */
  gate(request: GateRequest): Promise<Decision>;
  /**
   * Waits for `OpSpec.after`; writes `started` when the op must not be repeated. Called by the dispatcher alone, after
   * the gate and right before the engine: written earlier, the gate's own row hides it, and a crash after the decision
   * repeats the effect.
   */
  begin(): Promise<void>;
  /**
   * Waits before what failed is done once more, which no human is asked about again. Never settles when the frame is dropped
   * first or the process is about to end: the next leg does it then.
   *
   * @returns false, at once, where it must not be done again: a result was given to `record`, or the leg would be over by then
   */
  again(waitMs: number): Promise<boolean>;
  /** Commits the result in the transaction of the effect (same-database SQL): exactly once. `op` then writes nothing more. */
  record(result: ToolResult, transaction: Transaction): Promise<void>;
  /** Runs `release` when the frame is dropped: whoever holds a timer around a call that never settles gives it back here. */
  onDrop(release: () => void): void;
}

/** A question to a human, whether a tool may be called with these arguments. */
export interface GateRequest {
  readonly tool: string;
  readonly arguments: Json;
  readonly approver: Approver;
}

/** The decision of a human, or of the clock. */
export type Decision =
  | { readonly approved: true; readonly note: string }
  | { readonly approved: false; readonly reason: 'declined' | 'expired'; readonly note: string };

/** The use a run has made so far of tokens, steps and money, and its ceilings. */
export type RunUsage = {
  /** Of an agent its model calls, else the calls, questions and runs it made. */
  readonly steps: number;
  readonly toolCalls: number;
  readonly handoffs: number;
  readonly compactions: number;
  /** The sum of what recorded model calls say in a number `imagesDropped` of their value. */
  readonly imagesDropped: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Null when a model without a price was used, never 0. */
  readonly costMicros: number | null;
  readonly tokenBudget: number | null;
  readonly treeTokens: number;
  readonly treeBudget: number | null;
};

/** The end of a run, as its driver sets it. Committed with the session turn, if there is one. */
export interface RunEnd<T> {
  readonly status: Exclude<RunStatus, WaitingStatus | 'cancelled'>;
  readonly value: T;
  readonly session?: SessionAppend;
}

/** Messages that a run adds to its session when it ends; not for failed and cancelled ones. */
export interface SessionAppend {
  readonly messages: readonly Json[];
  /** They stand for the whole conversation: a compaction put what was said before into a summary among them. */
  readonly replaces?: boolean;
}

/** One step as results and streams show it (decision 6.4): wire names, since it is only ever sent. Bytes are sizes. */
export type RunStep = {
  /** Its place in the tree of the root: increasing, the same after a restart, with gaps inside one run. */
  readonly seq: number;
  readonly kind:
    | 'model'
    | 'tool_call'
    | 'tool_refused'
    | 'approval_requested'
    | 'approval_decided'
    | 'handoff'
    | 'compaction'
    | 'context';
  readonly run_id: string;
  /** Name of the agent, behaviour or flow whose step it is. */
  readonly agent: string;
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly tool?: string;
  readonly arguments?: Json;
  readonly result?: Json;
  readonly error?: string;
  readonly [member: string]: Json | undefined;
};

/** A step among those of all runs, approvals left out: without what a tool was given and gave. */
export type ToldStep = RunStep & { readonly root_run_id: string };

/**
 * Reads the steps of all runs as they are recorded, by whatever process. Nothing is read, and nothing kept, unless it is
 * asked; then a number for each root that was heard of, of 1,000 at most.
 */
export interface StepTail {
  /**
   * Steps recorded since the last time, those of one root in their order; a bounded number. The first time there are none:
   * that is where it begins.
   *
   * @param said what the audit log said since: a run that began and ended meanwhile is found by it
   */
  read(said: readonly AuditRecord[]): Promise<StepNews>;
}

/** What a tail has read. */
export interface StepNews {
  readonly steps: readonly ToldStep[];
  /** There may have been others, of a root beyond those whose place is kept: nobody knows how many. */
  readonly missed: boolean;
}

/** The facts of a run that are known however it left its caller: envelopes are made of them. */
export interface RunReport {
  readonly runId: string;
  /** Its own name, then the agents it was handed over to. */
  readonly path: readonly string[];
  /** Its own; those of runs below it are in theirs. */
  readonly steps: readonly RunStep[];
  readonly usage: RunUsage;
}

/** A run that waits: for humans, and where there are none to decide, for a provider. */
export type RunWaiting = RunReport & {
  readonly status: WaitingStatus;
  /** Pending ones of the whole tree; none where it waits for a provider alone. */
  readonly approvals: readonly Approval[];
  /** Steps of the whole tree that are tried again later. */
  readonly waits: readonly Wait[];
};

/** The outcome of `openRun`. Only a root can wait: a child's promise does not settle then. */
export type RunOutcome<T> =
  | (RunReport & { readonly status: RunEnd<T>['status']; readonly value: T })
  | RunWaiting
  | (RunReport & { readonly status: 'cancelled' });

/** Says whether a run waits. */
export function isWaiting<T>(outcome: RunOutcome<T>): outcome is RunWaiting {
  return 'approvals' in outcome;
}

/**
 * The error that `openRun` throws for a run that failed: the status and text of the cause. Left alone it is answered
 * with `run` holding id and status; a driver that answers envelopes catches it and puts its own there.
 */
export class RunFailed extends HTTPError {
  readonly report: RunReport;

  constructor(report: RunReport, error: RunError) {
    const { code, message, status, errors, headers } = error;
    super(status, message, {
      code,
      ...(errors && { errors }),
      ...(headers && { headers }),
      run: { run_id: report.runId, status: 'failed' },
    });
    this.report = report;
  }
}

/** A root that was started with a memo, and of which its caller has not acknowledged the end. */
export interface MemoedRun {
  readonly rootId: string;
  /** The name of the route that started it. */
  readonly route: string;
  /** The id of the principal that did. */
  readonly principal: string;
  readonly memo: Json;
  readonly status: RunRecord['status'];
  readonly waitsFor: WaitingStatus | null;
  /** The status that was acknowledged last: one that it has waited with; null, none since it was started or retried. */
  readonly acknowledged: RunStatus | null;
  readonly createdMs: number;
}

/** Which roots with a memo are asked for. */
export interface MemoFilter {
  readonly principal?: string;
  readonly after?: string;
  readonly limit: number;
}

/** A stored root on its way through the dispatcher to its driver; only the runner that sent it can look inside. */
export interface Resumption {
  readonly rootId: string;
  /** It has ended, and is only asked for its answer: nothing of its input matters any more. */
  readonly ended?: boolean;
}

/** The engine room behind `openRun`, approvals and run listings. One for each application; parked runs are found in the store. */
export interface Runner {
  /**
   * Opens the run of a call, at most one for each. `body` may run more than once: a decision that came while it parked
   * starts another leg at once. What `body` throws is recorded and thrown from the record (`RunFailed`). With `call.resume`, a
   * run that has ended answers its stored outcome.
   *
   * Of a root `call.onRun` is told first, then `call.observe` what `follow` tells, from the first event on and at the pace of
   * `call.room`, until the run ends or waits; only then it settles. The run itself waits for nobody who listens.
   *
   * `call.cancel` ends it as cancelled, as long as this settles with what it came to.
   *
   * Ends the leg at `call.deadlineMs` itself (504 with the run): the dispatcher sets no timer around a run. Children share
   * the leg of their root.
   *
   * @param input validated; a request's own input may have been read already
   */
  open<T extends Json>(
    spec: RunSpec,
    call: Call,
    input: Values,
    body: (scope: RunScope) => Promise<RunEnd<T>>,
  ): Promise<RunOutcome<T>>;
  /** @returns the root route's response. @throws {HTTPError} 403 not an approver · 404 unknown · 409 decided already · 410 expired */
  decide(
    approvalId: string,
    decision: { readonly approve: boolean; readonly note: string; readonly by: Principal },
  ): Promise<RouteResponse>;
  /** @throws {HTTPError} 404 unknown · 409 a child, or terminal already */
  cancel(rootId: string, by: Principal): Promise<void>;
  /** The same for the principal that started it by `route`. @throws {HTTPError} 404 no such run, or of somebody else · 409 */
  cancelOwn(rootId: string, route: string, principal: Principal): Promise<void>;
  /** Answers, never throws: 200 to the principal that started a root run by `route`, 202 not yet, 404 to anybody else. */
  read(rootId: string, route: string, principal: Principal): Promise<RouteResponse>;
  /**
   * Events of a root run after `lastSeq`, as fast as they are taken: `run` with its id at once; `step`, past ones from the
   * journal first; `delta`, what is being written, with what of it was written before; `waiting` whenever the run waits for
   * somebody; `result`, the last one. Steps have their `seq` as id, and are told from their stored form alone, late or live.
   *
   * @throws {HTTPError} 404 no such root, or of somebody else · 503 the process ends before the root does
   */
  follow(
    rootId: string,
    route: string,
    lastSeq: number,
    principal: Principal,
    signal: AbortSignal,
  ): AsyncIterable<Progress>;
  /**
   * How many roots there are of each status: of all that have not ended, and of those that ended at this time or later, epoch
   * milliseconds. What is ready to go on counts as running.
   */
  countRuns(endedSinceMs: number): Promise<ReadonlyMap<Exclude<RunRecord['status'], 'ready'>, number>>;
  /** Makes one who reads the steps of all runs from now on. Whose they are is for whoever tells them to mind. */
  tailSteps(): StepTail;
  /**
   * Roots whose calls had a memo, oldest first, until their end is acknowledged or they are deleted. One that is retried is
   * among them again; a fork has no memo. Costs what is found, however many have ended.
   *
   * @param filter `principal`: the id of who started them; `after`: the id of the last one seen
   */
  memos(filter: MemoFilter): Promise<readonly MemoedRun[]>;
  /**
   * The root with a memo that a root principal started last, also after its end was acknowledged: as long as it is kept. Costs
   * the same however many there are.
   */
  newestMemo(principal: string): Promise<MemoedRun | undefined>;
  /**
   * Keeps which status of a root its caller has seen to. With the one that it has ended with, the root is no longer among
   * those with a memo. One that it does not have any more is nothing.
   */
  acknowledge(rootId: string, status: RunStatus): Promise<void>;
}
