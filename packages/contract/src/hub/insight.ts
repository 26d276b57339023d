import type { RunStatus } from '../runs/run-status.ts';

/** The specification's insight, and what its run cost; wire names, since it is only ever sent. */
export type Insight = {
  readonly type: 'insight';
  readonly watcher: string;
  readonly device: string;
  readonly agent: string;
  /** Null for sensors. */
  readonly seq: number | null;
  readonly status: RunStatus;
  /** Of a watcher 65,536 characters at most; the run has the whole. */
  readonly output: string;
  readonly error: string | null;
  readonly run_id: string;
  readonly tokens: number;
  /** Millionths of a US dollar, of the run with all below it; null where a price is not known. */
  readonly cost_micros: number | null;
  readonly at_ms: number;
};
