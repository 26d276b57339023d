import type { CallOptions, ProgressOptions } from './options.ts';

/** One step of a run. */
export interface RunStep {
  /** Its place in the whole run; `follow` goes on behind it. */
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
  /** The run, or one below it. */
  readonly run_id: string;
  /** Whose step it is. */
  readonly agent: string;
  /** Epoch milliseconds. */
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly tool?: string;
  readonly arguments?: unknown;
  readonly result?: unknown;
  readonly error?: string;
  /** What a kind has besides. */
  readonly [member: string]: unknown;
}

/** What happens in a run. The last event is its result; a run that failed throws a `ProblemError` instead. */
export type RunEvent<O> =
  | RunBegun
  | RunStepped
  | RunDelta
  | RunWaiting
  | { readonly type: 'result'; readonly result: O };

/** The run is stored: the first event of each connection. */
export interface RunBegun {
  readonly type: 'run';
  readonly run_id: string;
  /** Where its answer will be; absent for callers without credentials, who cannot ask for it. */
  readonly location?: string;
}

/** A step is stored. */
export interface RunStepped {
  readonly type: 'step';
  /** The run, or one below it. */
  readonly run_id: string;
  /** Whose step it is. */
  readonly agent: string;
  readonly step: RunStep;
}

/** A piece of text as a model says it, where it was asked for. */
export interface RunDelta {
  readonly type: 'delta';
  readonly run_id: string;
  readonly agent: string;
  readonly text?: string;
  /** What the run said since its last step does not count: it begins anew, here. */
  readonly restart?: true;
  /** Characters at its beginning that are not kept any more; with `restart`. */
  readonly omitted?: number;
}

/** The run waits, for what is listed; only told to those who follow it beyond that. */
export interface RunWaiting {
  readonly type: 'waiting';
  readonly run_id: string;
  readonly status: 'awaiting_approval' | 'waiting_provider';
  /** What humans decide on. */
  readonly pending_approvals?: readonly {
    readonly approval_id: string;
    readonly tool: string;
    readonly [member: string]: unknown;
  }[];
  /** Steps that are tried again later. */
  readonly waits?: readonly { readonly [member: string]: unknown }[];
}

/** From where a run is followed. */
export interface FollowOptions extends CallOptions {
  /** The `seq` of the last step that was seen; all are told when it is left out. */
  readonly lastSeq?: number | undefined;
}

/** What starts a run: an input without required members may be left out. */
export type RunArguments<I, P extends CallOptions> =
  Partial<I> extends I ? readonly [input?: I, options?: P] : readonly [input: I, options?: P];

/** What became of runs that were started before. */
export interface RunReader<O> {
  /** What a run came to, or that it still waits. */
  answer(runId: string, options?: CallOptions): Promise<O>;
  /** What happens in a run; waits with one that waits for a human or a provider. */
  follow(runId: string, options?: FollowOptions): AsyncIterableIterator<RunEvent<O>>;
}

/** An agent or a flow. */
export interface RunClient<I, O> extends RunReader<O> {
  /** Runs it to its end, or until it waits: its `status` is then `awaiting_approval`, or `waiting_provider`. */
  run(...call: RunArguments<I, ProgressOptions>): Promise<O>;
  /** The same, told as it happens. After a broken connection it goes on where it was, without a step lost or told twice. */
  stream(...call: RunArguments<I, CallOptions>): AsyncIterableIterator<RunEvent<O>>;
}

/** A behaviour, which is called as a function is. */
export interface BehaviourClient<I, O> extends RunReader<O> {
  /** Gives its value; while it waits, the run with the `status` `awaiting_approval` or `waiting_provider`. */
  (...call: RunArguments<I, ProgressOptions>): Promise<O>;
  /** The same, told as it happens. After a broken connection it goes on where it was, without a step lost or told twice. */
  stream(...call: RunArguments<I, CallOptions>): AsyncIterableIterator<RunEvent<O>>;
}
