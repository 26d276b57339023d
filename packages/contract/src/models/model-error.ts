import { HTTPError } from '../engine/http-error.ts';
import type { Spend } from './spend.ts';

/**
 * The reason why a model gave no reply, in a stable word; it is the error's `code`, so a journal keeps it.
 *
 * `context_window`: the conversation is too long, a shorter one may do. `no_valid_answer`: it did answer, and not what
 * was asked for. `rejected`: the provider finds the request wrong.
 */
export type ModelFault =
  | 'aborted'
  | 'context_window'
  | 'key_refused'
  | 'malformed_reply'
  | 'missing_key'
  | 'no_valid_answer'
  | 'quota'
  | 'rate_limited'
  | 'rejected'
  | 'timeout'
  | 'unavailable'
  | 'unknown_model';

/** The options of a `ModelError`. */
export interface ModelErrorOptions extends ErrorOptions {
  readonly reason: ModelFault;
  readonly provider: string;
  readonly model: string;
  /** The provider's own id of the request that failed last. */
  readonly requestId?: string;
  readonly spend?: readonly Spend[];
  /** How long the provider wants to be left alone, milliseconds. */
  readonly retryAfterMs?: number;
  /** 504 for `timeout`, else 502. */
  readonly status?: number;
}

/** Faults that are over some time, without anybody changing what was asked or declared. */
const passing: ReadonlySet<ModelFault> = new Set(['quota', 'rate_limited', 'timeout', 'unavailable']);

/** Says whether a fault passes by itself, so that the same question may be answered later. */
export function isPassing(reason: ModelFault): boolean {
  return passing.has(reason);
}

/** A model gave no reply. The message names the provider, and never what the provider itself said: that is the cause. */
export class ModelError extends HTTPError {
  readonly reason: ModelFault;
  readonly provider: string;
  readonly model: string;
  readonly requestId: string | undefined;
  /** How long the provider wants to be left alone, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** What the attempts cost all the same, priced. */
  readonly spend: readonly Spend[];

  constructor(message: string, options: ModelErrorOptions) {
    const { reason, provider, model, requestId, retryAfterMs, spend = [], cause } = options;
    const { status = reason === 'timeout' ? 504 : 502 } = options;
    super(status, message, { code: reason, ...(cause !== undefined && { cause }) });
    this.reason = reason;
    this.provider = provider;
    this.model = model;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.spend = spend;
  }
}
