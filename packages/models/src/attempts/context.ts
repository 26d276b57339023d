import type { Log, Partners } from '@waymark/contract/engine';
import type { Catalog } from '../catalog/catalog.ts';
import type { Post } from '../transport/post.ts';

/** What asking needs besides the question. */
export interface AskContext {
  readonly catalog: Catalog;
  readonly post: Post;
  readonly env: (name: string) => string | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** As `Host.monotonic`. */
  readonly monotonic: () => number;
  /** Between 0 and 1. */
  readonly random: () => number;
  /** Waits; rejects with the signal's reason when it fires. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly newId: () => string;
  readonly log: Log;
  /** The providers that are asked, each told how its calls go. */
  readonly partners: Partners;
  readonly limits: AskLimits;
  /** Whether spans hold what was said. */
  readonly traceContent: boolean;
}

/** The limits of asking. */
export interface AskLimits {
  readonly retries: number;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxReplyBytes: number;
}
