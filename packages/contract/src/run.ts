import type { Call } from './dispatch.ts';
import type { Json, Values } from './json.ts';
import type { Progress, RouteResponse } from './message.ts';
import type { Principal } from './principal.ts';
import type { Approver } from './route.ts';
import type { Approval, Transaction } from './run-store.ts';
import type { Spend } from './stores.ts';
import type { ToolResult } from './tool.ts';

/** What a driver (agent, behaviour, flow) asks for when it opens a run. */
export interface RunSpec {
  readonly kind: 'agent' | 'behaviour' | 'flow';
  readonly name: string;
  /** Hash of prompt, options or function source; compared when a stored run is resumed. */
  readonly codeVersion: string;
  /** What the run may do: the scope's principal is `narrow(caller, '<kind>:<name>', scopes)`. */
  readonly scopes: readonly string[];
  /** Own ceiling; null is none. Every ancestor's ceiling holds as well. */
  readonly tokenBudget: number | null;
  /** As it was at the start; a stored run keeps it. */
  readonly maxSteps: number | null;
  /** The session whose turn the run is. Turns of one session follow each other, from opening to end, waiting included. */
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
  /** When the leg ends, epoch milliseconds; what `callTool` gives the calls of the run. */
  readonly deadlineMs: number;
  /** `RunSpec.definition` as it was when the run started. */
  readonly definition: Json;
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
  /** Tells observers of this run and of its ancestors; silent while replaying. */
  emit(progress: Progress): void;
  /** Runs `release` when the frame is dropped. `finally` does not: a waiting frame never continues. */
  onDrop(release: () => void): void;
}

/** What is asked in one journaled step. */
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
  /** Taken from all ceilings before `body`; nothing left throws `BudgetExhausted`. */
  readonly reserveTokens?: number;
  /**
   * `Step.begin` waits for it, and counts as held meanwhile: calls of one model turn ask humans together and execute in
   * order. When it rejects, `begin` and a pending `gate` reject with it, and the approval is withdrawn.
   */
  readonly after?: Promise<unknown>;
  /** Why the driver wants it; shown to the human who decides. */
  readonly reason?: string;
}

/** What a step came to, and what it cost. */
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
  /** What is left of the reservation: the most `max_tokens` may be. Null is unlimited. */
  readonly grantedTokens: number | null;
  /** Asks a human, once for each step; never settles while waiting. Called by the dispatcher alone, after validation. */
  gate(request: GateRequest): Promise<Decision>;
  /**
   * Waits for `OpSpec.after`; writes `started` when the op must not be repeated. Called by the dispatcher alone, after
   * the gate and right before the engine: written earlier, the gate's own row hides it, and a crash after the decision
   * repeats the effect.
   */
  begin(): Promise<void>;
  /** Commits the result in the transaction of the effect (same-database SQL): exactly once. `op` then writes nothing more. */
  record(result: ToolResult, transaction: Transaction): Promise<void>;
  /** Runs `release` when the frame is dropped: whoever holds a timer around a call that never settles gives it back here. */
  onDrop(release: () => void): void;
}

/** What a human is shown. */
export interface GateRequest {
  readonly tool: string;
  readonly arguments: Json;
  readonly approver: Approver;
}

/** What a human, or the clock, decided. */
export type Decision =
  | { readonly approved: true; readonly note: string }
  | { readonly approved: false; readonly reason: 'declined' | 'expired'; readonly note: string };

/** What a run has used so far, and its ceilings. */
export type RunUsage = {
  readonly steps: number;
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

/** How runs end; `awaiting_approval` is the one that goes on. */
export type RunStatus =
  | 'completed'
  | 'halted'
  | 'max_tokens'
  | 'step_limit'
  | 'budget_exhausted'
  | 'failed'
  | 'cancelled'
  | 'awaiting_approval';

/** How a driver ends its run. Committed with the session turn, if there is one. */
export interface RunEnd<T> {
  readonly status: Exclude<RunStatus, 'awaiting_approval' | 'cancelled'>;
  readonly value: T;
  readonly session?: SessionAppend;
}

/** What a run adds to its session when it ends; not for failed and cancelled ones. */
export interface SessionAppend {
  readonly messages: readonly Json[];
  /** The first message that still counts: a compaction moved it to its summary. */
  readonly fromN?: number;
}

/** What `openRun` answers. Only a root can wait: a child's promise does not settle then. */
export type RunOutcome<T> =
  | {
      readonly status: RunEnd<T>['status'];
      readonly runId: string;
      readonly value: T;
      readonly usage: RunUsage;
    }
  | {
      readonly status: 'awaiting_approval';
      readonly runId: string;
      readonly approvals: readonly Approval[];
      readonly usage: RunUsage;
    }
  | { readonly status: 'cancelled'; readonly runId: string; readonly usage: RunUsage };

/** The engine room behind `openRun`, approvals and run listings. One for each application; parked runs are found in the store. */
export interface Runner {
  /**
   * Opens the run of a call, at most one for each. `body` may run more than once: a decision that came while it parked
   * starts another leg at once. What `body` throws is recorded and thrown again from the record. With `call.resume`, a
   * run that has ended answers its stored outcome.
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
  /** Answers, never throws: 200 to the principal that started a root run by `route`, 202 not yet, 404 to anybody else. */
  read(rootId: string, route: string, principal: Principal): Promise<RouteResponse>;
  /** Events of a root run after `lastSeq`, past ones from the journal first. The last one is `result`. */
  follow(
    rootId: string,
    route: string,
    lastSeq: number,
    principal: Principal,
    signal: AbortSignal,
  ): AsyncIterable<Progress>;
}
