import type { RunBegun, RunClient, RunDelta, RunStepped, RunWaiting } from './run-types.ts';
import type { SocketOptions, SocketState } from './socket-types.ts';

/** One turn of a conversation: what the agent takes, and a name for the turn. */
export type AgentTurn<I> = I & {
  /** Sent again under the same name, also over another socket, it starts nothing; one of its own is given when absent. */
  readonly idempotency_key?: string | undefined;
};

/** What is told over the socket of an agent. */
export type AgentMessage<O> =
  | AgentRun
  | RunStepped
  | RunDelta
  | RunWaiting
  | AgentResultMessage<O>
  | AgentErrorMessage;

/** The run of a turn is stored, or a run was taken up: once for each run, before anything else of it. */
export interface AgentRun extends RunBegun {
  /** Of the turn. */
  readonly idempotency_key?: string;
}

/** What a run came to, once for each turn: also a run that failed, or was cancelled. */
export interface AgentResultMessage<O> {
  readonly type: 'result';
  readonly result: O;
  /** Why it failed, as an error would say it. */
  readonly problem?: { readonly status: number; readonly detail: string; readonly code?: string };
}

/** A turn or a run that was refused; nothing more is told of it, and the socket stays. */
export interface AgentErrorMessage {
  readonly type: 'error';
  readonly message: string;
  /** Of HTTP; 0 when the service was not asked, or cannot be asked any more. */
  readonly status: number;
  readonly code?: string;
  /** What is wrong with the input, one by one. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** The run that the conversation waits for. */
  readonly run?: unknown;
  readonly run_id?: string;
  readonly idempotency_key?: string;
  /** Seconds. */
  readonly retry_after?: number;
}

/**
 * A conversation with an agent over one socket, which connects again whenever it breaks. Each step and each result is
 * told once, and no turn is started twice. `break` leaves the socket open; one that nobody reads lets go of its
 * connection until it is read again.
 */
export interface AgentSocket<I, O> extends AsyncIterable<AgentMessage<O>> {
  readonly state: SocketState;
  /**
   * Begins a turn when those before it have ended or wait; gives the key of it.
   *
   * Throws when the socket is closed, the key is that of a turn under way, or 1,000 turns have not been sent yet.
   */
  send(turn: AgentTurn<I>): string;
  /** Takes up an earlier run behind a step; nothing new when it is told here already. Throws as `send` does. */
  follow(runId: string, options?: { readonly lastSeq?: number | undefined }): void;
  /** Cancels a run that is told here, or the turn under way; its result follows. False when there is none. */
  cancel(runId?: string): boolean;
  /** Closes it for good, and lets go of its runs, which go on. */
  close(): void;
}

/** An agent. */
export interface AgentClient<I, O> extends RunClient<I, O> {
  /** A conversation over one socket, which connects at once. */
  socket(options?: SocketOptions): AgentSocket<I, O>;
}
