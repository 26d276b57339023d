/** A turn of an agent, as it is sent. */
export interface Turn {
  readonly agent: string;
  /** Its `idempotency_key`, and what its effects are known by. */
  readonly key: string;
  readonly message: {
    readonly input: string;
    readonly stream?: boolean;
    readonly session_id?: string;
  };
}

/** A step as it was told. */
export interface Step {
  readonly seq: number;
  readonly run_id: string;
  readonly agent: string;
  readonly kind: string;
  readonly tool?: string;
  readonly error?: string;
}

/** The last word on a run. */
export interface Ending {
  readonly result: { readonly run_id: string; readonly status: string; readonly [member: string]: unknown };
  readonly problem?: { readonly status: number; readonly detail: string; readonly code?: string };
}

/** What a reader was told of a turn. */
export interface Reading {
  readonly runId: string | undefined;
  /** In the order in which they were told. */
  readonly steps: readonly Step[];
  readonly endings: readonly Ending[];
  /** What it was told that it should not have been. */
  readonly faults: readonly string[];
}

/**
 * A client of one agent's socket whose connection may break at any time: it connects again, takes up what was begun and
 * sends again what was not.
 */
export interface TurnReader {
  /** Sends a turn, beside others. Resolves when its end was told, or never will be. */
  read(turn: Turn): Promise<Reading>;
  close(): Promise<void>;
}

/** What a reader is opened with. */
export interface ReaderOptions {
  readonly url: string;
  readonly agent: string;
  readonly apiKey: string;
  /** Told of each thing that happens to a turn: it was sent, a message came. */
  readonly onHeard: (turn: Turn) => void;
}

/** One way to read turns. */
export type OpenReader = (options: ReaderOptions) => TurnReader;
